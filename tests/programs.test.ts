import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { root } from "../scripts/paths.mjs";
import { runCommand } from "./harness/run-command.ts";

/** A folder with dist/ and nothing else: no node_modules to fall back on. */
let alone: string;

beforeEach(async () => {
  alone = await mkdtemp(join(tmpdir(), "multiverse-programs-"));
  await cp(join(root, "dist"), join(alone, "dist"), { recursive: true });
  await mkdir(join(alone, "home"));
  await mkdir(join(alone, "project"));
});
afterEach(() => rm(alone, { recursive: true, force: true }));

test.each(["multiverse", "agent-runner"])("%s starts without node_modules", async (name) => {
  const outcome = await runCommand(
    process.execPath,
    [join(alone, `dist/${name}.mjs`), "--version"],
    {
      cwd: alone,
      env: { PATH: process.env.PATH, HOME: join(alone, "home") },
    },
  );
  expect(outcome).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: "",
  });
});

test("multiverse says where it is ready, and ends cleanly on SIGTERM", async () => {
  const server = spawn(process.execPath, ["dist/multiverse.mjs", "project", "--no-open"], {
    cwd: alone,
    env: { PATH: process.env.PATH, HOME: join(alone, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  let output = "";
  server.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  try {
    await expect.poll(() => output).toMatch(/ready at http:\/\/127\.0\.0\.1:\d+\//);
    server.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  } finally {
    server.kill("SIGKILL");
  }
});

test.each(["multiverse", "agent-runner"])("npx finds %s in the repository", async (name) => {
  const { code, stdout } = await runCommand("npx", ["--no-install", name, "--version"], {
    cwd: root,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
