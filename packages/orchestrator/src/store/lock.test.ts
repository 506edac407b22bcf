import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { LockFile } from "@multiverse/protocol/lock-file";
import { acquireLock } from "./lock.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "lock-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A lock like the one this process takes, but changed. */
async function leave(change: Partial<LockFile>): Promise<void> {
  const lock = await acquireLock(dir, "http://127.0.0.1:1234");
  const [name = ""] = await readdir(dir);
  const mine = JSON.parse(await readFile(join(dir, name), "utf8")) as LockFile;
  await lock.release();
  await writeFile(join(dir, "lock.7.json"), JSON.stringify({ ...mine, ...change }));
}

it("the second is refused, told who has it and where, and writes nothing", async () => {
  const lock = await acquireLock(dir, "http://127.0.0.1:1234");
  const before = await readdir(dir);
  await expect(acquireLock(dir, null)).rejects.toMatchObject({
    code: "WORKSPACE_LOCKED",
    message: expect.stringContaining(`process ${process.pid} at http://127.0.0.1:1234`) as string,
  });
  expect(await readdir(dir)).toEqual(before);
  await lock.release();
  expect(await readdir(dir)).toEqual([]);
  await (await acquireLock(dir, null)).release();
});

it("an address announced later is told as well", async () => {
  const lock = await acquireLock(dir, null);
  await lock.announce("http://127.0.0.1:9999");
  await expect(acquireLock(dir, null)).rejects.toThrow("http://127.0.0.1:9999");
  await lock.release();
});

it.each<[string, Partial<LockFile>]>([
  ["a process that is gone", { pid: 4_194_303 }],
  ["a process number that another process has now", { startTime: "1" }],
  ["a process from before a reboot", { bootId: "another" }],
])("the lock of %s needs no hand", async (_, change) => {
  await leave(change);
  const lock = await acquireLock(dir, null);
  expect(await readdir(dir)).toEqual(["lock.8.json"]);
  await lock.release();
});

it("a lock file that a power cut spoilt needs no hand", async () => {
  await writeFile(join(dir, "lock.3.json"), "");
  await (await acquireLock(dir, null)).release();
});

it("a holder in another container counts as alive while its lock is touched", async () => {
  await leave({ pidNamespace: "pid:[1]", pid: 4_194_303 });
  await expect(acquireLock(dir, null)).rejects.toMatchObject({ code: "WORKSPACE_LOCKED" });
  const long = new Date(Date.now() - 60_000);
  await utimes(join(dir, "lock.7.json"), long, long);
  await (await acquireLock(dir, null)).release();
});

it("of many who want a stale lock at once, one gets it", async () => {
  for (let round = 0; round < 20; round += 1) {
    await leave({ pid: 4_194_303 });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => acquireLock(dir, null)),
    );
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(won).toHaveLength(1);
    await won[0]?.release();
    await rm(join(dir, "lock.7.json"), { force: true });
  }
});
