import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnDetached } from "./detached.ts";
import { isAlive, killGroup, startTimeOf } from "./process-group.ts";

const PATH = process.env["PATH"] ?? "";
const folder = () => mkdtempSync(join(tmpdir(), "detached-"));

test("a detached process reads its input, appends its output to files and tells its exit code", async () => {
  const cwd = folder();
  const options = {
    cwd,
    env: { PATH },
    stdin: "hello",
    stdout: join(cwd, "out"),
    stderr: join(cwd, "err"),
  };
  for (const code of [0, 3]) {
    const child = await spawnDetached("sh", ["-c", `cat; echo oops >&2; exit ${code}`], options);
    expect(await child.exited).toBe(code);
    expect(isAlive(child.pid, child.startTime)).toBe(false);
  }
  expect(readFileSync(join(cwd, "out"), "utf8")).toBe("hellohello");
  expect(readFileSync(join(cwd, "err"), "utf8")).toBe("oops\noops\n");
});

test("a running process is known by pid and start time, and its group can be ended", async () => {
  const child = await spawnDetached("sh", ["-c", "sleep 600 & sleep 600"], {
    cwd: folder(),
    env: { PATH },
  });
  expect(isAlive(child.pid, child.startTime)).toBe(true);
  expect(isAlive(child.pid, "another start")).toBe(false);
  expect(killGroup(child.pid, "SIGKILL")).toBe(true);
  expect(await child.exited).toBe(null);
  await expect.poll(() => killGroup(child.pid, 0), { timeout: 2_000 }).toBe(false);
});

test("a program or a folder that is not there is an error that says so", async () => {
  await expect(
    spawnDetached("no-such-program", [], { cwd: folder(), env: { PATH } }),
  ).rejects.toMatchObject({
    code: "SANDBOX_FAILED",
  });
  const missing = join(folder(), "missing", "out");
  await expect(
    spawnDetached("sh", ["-c", "true"], { cwd: folder(), env: { PATH }, stdout: missing }),
  ).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
});

test.each([0, 1, -1, Number.NaN, 1.5])("a pid of %s never becomes a signal to everybody", (pid) => {
  expect(killGroup(pid, "SIGTERM")).toBe(false);
  expect(startTimeOf(pid === 1 ? -1 : pid)).toBe(null);
});
