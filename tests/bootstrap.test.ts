import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { differencesFromLock, lockCovers } from "../scripts/lock.mjs";
import { root } from "../scripts/paths.mjs";
import { runCommand, type CommandOutcome } from "./harness/run-command.ts";

describe("the lock", () => {
  const lock = {
    packages: {
      "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
      "node_modules/@rolldown/binding-linux-x64-gnu": { version: "2.0.0" },
    },
  };

  test("covers the platforms whose binaries it names, and no others", () => {
    expect(lockCovers(lock, { os: "linux", cpu: "x64", glibc: true })).toBe(true);
    expect(lockCovers(lock, { os: "linux", cpu: "x64", glibc: false })).toBe(false);
    expect(lockCovers(lock, { os: "linux", cpu: "arm64", glibc: true })).toBe(false);
    expect(lockCovers(lock, { os: "darwin", cpu: "x64", glibc: false })).toBe(false);
  });

  test("is compared with what was installed: version, content, and what it does not know", () => {
    const installed = {
      packages: {
        "node_modules/a": { version: "1.0.0", integrity: "sha512-other" },
        "node_modules/@rolldown/binding-linux-x64-gnu": { version: "2.0.1" },
        "node_modules/b": { version: "3.0.0" },
        "node_modules/@multiverse/web": { link: true },
      },
    };
    expect(differencesFromLock(lock, installed)).toEqual([
      "node_modules/a@1.0.0 (lock: 1.0.0)",
      "node_modules/@rolldown/binding-linux-x64-gnu@2.0.1 (lock: 2.0.0)",
      "node_modules/b@3.0.0 (lock: absent)",
    ]);
    expect(differencesFromLock(lock, lock)).toEqual([]);
  });
});

describe("a clone in which nothing is installed", () => {
  let clone: string;

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), "multiverse-clone-"));
    for (const name of [
      "package.json",
      "package-lock.json",
      ".npmrc",
      "scripts",
      "packages",
      "bin",
    ]) {
      await cp(join(root, name), join(clone, name), {
        recursive: true,
        filter: (source) => !source.endsWith("/src"),
      });
    }
  });
  afterEach(() => rm(clone, { recursive: true, force: true }));

  function node(args: string[], env: NodeJS.ProcessEnv = {}): Promise<CommandOutcome> {
    return runCommand(process.execPath, args, { cwd: clone, env: { ...process.env, ...env } });
  }

  test.each(["start", "test", "check"])("npm %s says so when Node is too old", async (script) => {
    const oldNode = `Object.defineProperty(process.versions, "node", { value: "18.20.8" })`;
    const pretend = ["--import", `data:text/javascript,${encodeURIComponent(oldNode)}`];
    const { code, stderr } = await node([...pretend, `scripts/${script}.mjs`]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Multiverse needs Node 20.19 or newer, and this is Node 18.20.8.\n" +
        "Install a newer Node and run the same command again.\n",
    );
  });

  test("npm start says so when the registry cannot be reached", { timeout: 90_000 }, async () => {
    const { code, stdout, stderr } = await node(["scripts/start.mjs"], {
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(clone, "empty-cache"),
      HOME: clone,
    });
    expect(code).toBe(1);
    expect(stdout).toContain("installing…");
    expect(stderr).toContain("The npm registry cannot be reached");
    expect(stderr).toContain("run the same command again");
  });

  test.each(["multiverse", "agent-runner"])("bin/%s says that it is not built", async (name) => {
    const { code, stderr } = await node([`bin/${name}.mjs`]);
    expect(code).toBe(1);
    expect(stderr).toContain("run `npm run build`");
  });
});
