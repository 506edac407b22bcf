import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build-parts.mjs";
import { root } from "../../scripts/paths.mjs";
import { ensureCliImages, nodeImage } from "../docker/cli-images.ts";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { runCommand } from "../harness/run-command.ts";
import { copyTree, type TreeCopy } from "../harness/tree-copy.ts";
import { howToRun } from "./how-to-run.ts";
import { blocks, pages } from "./markdown.ts";

const withCommands = pages()
  .map(({ path, text }) => ({
    path,
    commands: blocks(text)
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.split("\n"))
      // What stands behind a command is for the reader.
      .map((line) => line.replace(/\s+#.*$/, "").trim())
      .filter((line) => line !== ""),
  }))
  .filter(({ commands }) => commands.length > 0);

/** A clone that is installed and built, so that commands may change it. */
let clone: TreeCopy;
/** A home with nothing in it but projects: no key, no login, no settings. */
let home: string;

beforeAll(async () => {
  await build();
  clone = await copyTree();
  await cp(join(root, "dist"), join(clone.path, "dist"), { recursive: true });
  await cp(
    join(root, "node_modules/.multiverse-install"),
    join(clone.path, "node_modules/.multiverse-install"),
  );
  home = await mkdtemp(join(tmpdir(), "multiverse-docs-"));
}, 120_000);
afterAll(async () => {
  await clone.remove();
  await rm(home, { recursive: true, force: true });
});

const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  MULTIVERSE_DEMO_DELAY: "0",
  // Nobody is there to look at a browser.
  DISPLAY: "",
  MULTIVERSE_BASE_IMAGE: nodeImage,
  npm_config_cache: join(home, ".npm"),
  npm_config_update_notifier: "false",
});

describe("every command in the docs works", () => {
  test("there are commands in README.md and in docs/quick-start.md", () => {
    expect(withCommands.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["README.md", "docs/quick-start.md"]),
    );
  });

  test.each(withCommands)("$path", { timeout: 600_000 }, async ({ commands }) => {
    await rm(home, { recursive: true, force: true });
    for (const project of ["my-project", "poems", "multiverse-demo"])
      await mkdir(join(home, project), { recursive: true });
    const running: ChildProcess[] = [];
    try {
      for (const command of commands) await obey(command, running);
    } finally {
      for (const child of running) await stop(child);
    }
  });
});

async function obey(command: string, running: ChildProcess[]): Promise<void> {
  const rule = howToRun(command);
  if (rule.how === "until ready") {
    running.push(await startUntilReady(command));
    return;
  }
  if (rule.how === "with a server" && running.length === 0) running.push(await startServer());
  if (rule.how === "after a server") {
    if (running.length === 0) running.push(await startServer());
    for (const child of running.splice(0)) await stop(child);
  }
  if (rule.how === "with Docker" && !(await baseIsThere())) return;
  const actual = rule.how === "instead" ? rule.command : command;
  const { code, stdout, stderr } = await runCommand("sh", ["-c", actual], {
    cwd: clone.path,
    env: env(),
  });
  expect(code, `$ ${actual}\n${stdout}${stderr}`).toBe(0);
}

/** For people it is downloaded. Docker is the harness's own, so a test run without it says that this was left out. */
async function baseIsThere(): Promise<boolean> {
  const docker = await findDockerWithBaseImage();
  if (skipWithout(docker, "building an image as the docs say")) return false;
  await ensureCliImages(present(docker), ["codex-cli"]);
  return true;
}

const startServer = (): Promise<ChildProcess> =>
  startUntilReady("npx --no-install multiverse ~/multiverse-demo --no-open");

/** In a group of its own: npm and the shell between us and the server do not pass signals on. */
async function startUntilReady(command: string): Promise<ChildProcess> {
  const child = spawn("sh", ["-c", command], {
    cwd: clone.path,
    env: env(),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  try {
    await expect
      .poll(() => said, { timeout: 60_000, message: command })
      .toMatch(/ready at http:\/\/127\.0\.0\.1:\d+/);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "close");
  if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  await ended;
}
