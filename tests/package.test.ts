import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../scripts/paths.mjs";
import { runCommand, type CommandOutcome } from "./harness/run-command.ts";
import { copyTree } from "./harness/tree-copy.ts";

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Somebody else's machine: an empty home, an empty npm cache, and a registry that does not answer. */
let machine: string;
let packed: Packed;

beforeAll(async () => {
  machine = await mkdtemp(join(tmpdir(), "multiverse-package-"));
  for (const name of ["home", "app"]) await mkdir(join(machine, name));
  packed = await pack(machine);
  const installed = await inApp("npm", ["install", "--offline", join(machine, packed.filename)]);
  if (installed.code !== 0) throw new Error(installed.stderr);
}, 240_000);
afterAll(() => rm(machine, { recursive: true, force: true }));

/** Packs a copy of the tree: packing removes chunks of earlier builds, which a server here may still be running on. */
async function pack(destination: string): Promise<Packed> {
  const copy = await copyTree();
  try {
    if (existsSync(join(root, "dist/.stamp")))
      await cp(join(root, "dist"), join(copy.path, "dist"), { recursive: true });
    const { code, stdout, stderr } = await runCommand(
      "npm",
      ["pack", "--json", "--silent", `--pack-destination=${destination}`],
      { cwd: copy.path },
    );
    if (code !== 0) throw new Error(stderr);
    const [answer] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as Packed[];
    return answer!;
  } finally {
    await copy.remove();
  }
}

const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: join(machine, "home"),
  MULTIVERSE_DEMO_DELAY: "0",
  npm_config_registry: "http://127.0.0.1:9/",
  npm_config_cache: join(machine, "npm-cache"),
  npm_config_update_notifier: "false",
});

const inApp = (command: string, args: readonly string[]): Promise<CommandOutcome> =>
  runCommand(command, args, { cwd: join(machine, "app"), env: env() });

describe("the package", () => {
  test("holds both programs, the IDE, Dockerfiles, examples and docs, and no sources or tests", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        "bin/multiverse.mjs",
        "bin/agent-runner.mjs",
        "dist/multiverse.mjs",
        "dist/agent-runner.mjs",
        "dist/web/index.html",
        "dist/licences.txt",
        "sandbox/codex-cli.Dockerfile",
        "sandbox/claude-code.Dockerfile",
        "sandbox/gemini-cli.Dockerfile",
        "examples/hello.yaml",
        "docs/quick-start.md",
        "README.md",
        "LICENSE",
        "package.json",
      ]),
    );
    const allowed =
      /^(bin|dist|docs|examples|sandbox)\/|^(README|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
    expect(paths.filter((path) => !allowed.test(path) || /\.(ts|map|tmp)$/.test(path))).toEqual([]);
    expect(packed.size).toBeLessThan(5_000_000);
  });

  test("needs no other package and runs no script when installed", async () => {
    const manifest = JSON.parse(
      await readFile(join(machine, "app/node_modules/multiverse/package.json"), "utf8"),
    ) as { dependencies?: object; scripts: Record<string, string> };
    expect(manifest.dependencies).toBeUndefined();
    const atInstall = ["preinstall", "install", "postinstall", "prepare"];
    expect(atInstall.filter((name) => name in manifest.scripts)).toEqual([]);
  });

  test.each(["multiverse", "agent-runner"])("npx %s says its version", async (name) => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      version: string;
    };
    const { code, stdout } = await inApp("npx", [name, "--version"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });

  test("plays the demo to its end, offline", { timeout: 120_000 }, async () => {
    const command = ["multiverse", "run", "Create a TODO app", "--demo"];
    const { code, stdout, stderr } = await inApp("npx", [...command, "--until-idle"]);
    expect(code, stdout + stderr).toBe(0);
    expect(stderr + stdout).toContain("demo agent: scripted, no AI");
    expect(stdout.match(/SUCCEEDED/g)).toHaveLength(6);
    const tests = await inApp(process.execPath, ["--test"]);
    expect(tests.code, tests.stdout).toBe(0);
  });

  test("serves the IDE", async () => {
    const program = join(machine, "app/node_modules/.bin/multiverse");
    const server = spawn(program, [".", "--demo", "--no-open"], {
      cwd: join(machine, "app"),
      env: env(),
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(server, "close");
    let said = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    try {
      await expect.poll(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]).toBeDefined();
      const file = await readFile(join(machine, "home/.multiverse/server.json"), "utf8");
      const { url, token } = JSON.parse(file) as { url: string; token: string };
      const page = await fetch(new URL("/", url), {
        headers: { authorization: `Bearer ${token}` },
      });
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
      const asset = await fetch(new URL(script ?? "/no-script", url), {
        headers: { authorization: `Bearer ${token}` },
      });
      expect({ page: page.status, asset: asset.status }).toEqual({ page: 200, asset: 200 });
    } finally {
      server.kill("SIGTERM");
      await ended;
    }
  });

  test("runs an example with agent-runner", async () => {
    const folder = join(machine, "app/hello");
    await mkdir(folder);
    const { code, stdout, stderr } = await runCommand(
      "sh",
      ["-c", "npx agent-runner < ../node_modules/multiverse/examples/hello.yaml"],
      { cwd: folder, env: env() },
    );
    expect(code, stdout + stderr).toBe(0);
    expect(await readFile(join(folder, ".agent-runner/task-hello.md"), "utf8")).toContain(
      "Task Note - hello - Say hello",
    );
  });
});
