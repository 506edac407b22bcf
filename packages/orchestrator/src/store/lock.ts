import { link, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { readFileSync, readlinkSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { LockFile } from "@multiverse/protocol/lock-file";
import { systemCode } from "@multiverse/protocol/system-code";

/**
 * One writer per workspace. The lock is the file `lock.<n>.json` with the highest n, holding who has it. It is created by
 * link(2), which only one process can win, and a stale one is not removed but outnumbered, so two processes that find
 * the same stale lock cannot both take it.
 */
export interface Lock {
  /** Tells others where the holder can be reached. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

export type AcquireLock = (folder: string, url: string | null) => Promise<Lock>;

const NAME = /^lock\.(\d+)\.json$/;
/** Only for holders whose processes we cannot see (another container, another machine). */
const HEARTBEAT_MS = 5_000;
const SILENT_MS = 30_000;

export const acquireLock: AcquireLock = async (folder, url) => {
  for (;;) {
    const newest = await newestLock(folder);
    if (newest?.holder && (await isAlive(newest))) throw locked(newest.holder);
    const number = (newest?.number ?? 0) + 1;
    const path = join(folder, `lock.${number}.json`);
    const me = { ...identity(), url };
    if (!(await createWhole(folder, path, me))) continue;
    const after = await newestLock(folder);
    if (after && after.number > number) {
      await rm(path, { force: true });
      continue;
    }
    await removeOlder(folder, number);
    return hold(folder, path, me);
  }
};

function hold(folder: string, path: string, me: LockFile): Lock {
  const beat = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    announce: async (url) => {
      const draft = draftPath(folder);
      await writeFile(draft, JSON.stringify({ ...me, url }), { mode: 0o600 });
      await rename(draft, path);
    },
    release: async () => {
      clearInterval(beat);
      await rm(path, { force: true });
    },
  };
}

const draftPath = (folder: string): string => join(folder, `.lock-${randomUUID()}.tmp`);

/** The file appears with its whole content or not at all. False if someone was faster. */
async function createWhole(folder: string, path: string, holder: LockFile): Promise<boolean> {
  const draft = draftPath(folder);
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

interface FoundLock {
  readonly number: number;
  readonly path: string;
  readonly holder: LockFile | null;
}

async function newestLock(folder: string): Promise<FoundLock | null> {
  const numbers = await lockNumbers(folder);
  if (numbers.length === 0) return null;
  const number = Math.max(...numbers);
  const path = join(folder, `lock.${number}.json`);
  const text = await readFile(path, "utf8").catch(() => "");
  return { number, path, holder: parseHolder(text) };
}

/** Lock files appear whole, so one that cannot be read was spoilt by a power cut: its holder is gone. */
function parseHolder(text: string): LockFile | null {
  try {
    return LockFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function lockNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
}

async function removeOlder(folder: string, number: number): Promise<void> {
  for (const old of await lockNumbers(folder)) {
    if (old < number) await rm(join(folder, `lock.${old}.json`), { force: true });
  }
}

async function isAlive({ holder, path }: FoundLock): Promise<boolean> {
  if (!holder) return false;
  const me = identity();
  if (holder.host === me.host && holder.bootId !== me.bootId) return false;
  if (holder.host === me.host && holder.pidNamespace === me.pidNamespace) {
    return startTimeOf(holder.pid) === holder.startTime;
  }
  const touched = await stat(path).catch(() => null);
  return touched !== null && Date.now() - touched.mtimeMs < SILENT_MS;
}

function identity(): Omit<LockFile, "url"> {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
    bootId: readOr("/proc/sys/kernel/random/boot_id"),
    host: hostname(),
    pidNamespace: linkOr("/proc/self/ns/pid"),
  };
}

/** Field 22 of /proc/<pid>/stat: tells a process from a later one with the same number. Undefined if it is gone. */
function startTimeOf(pid: number): string | undefined {
  const text = readOr(`/proc/${pid}/stat`);
  if (text) {
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  }
  return readOr("/proc/self/stat") ? undefined : signalled(pid);
}

/** Where there is no /proc, a signal that does nothing tells whether the process is there. */
function signalled(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    return "";
  } catch (error) {
    return systemCode(error) === "EPERM" ? "" : undefined;
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

const locked = (holder: LockFile): MultiverseError =>
  new MultiverseError(
    "WORKSPACE_LOCKED",
    `This workspace is already open in process ${holder.pid}${holder.url ? ` at ${holder.url}` : ""}.`,
    {
      hint: holder.url
        ? `Use the running server at ${holder.url}, or stop it first.`
        : `Stop process ${holder.pid} first.`,
    },
  );
