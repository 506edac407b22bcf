import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "@multiverse/protocol/system-code";

/** The folders other tools talk to us through, below the workspace's `ipc/`. */
export interface JobFolders {
  readonly queue: string;
  readonly processing: string;
  readonly results: string;
  readonly bad: string;
}

export async function openJobFolders(workspaceDir: string): Promise<JobFolders> {
  const ipc = join(workspaceDir, "ipc");
  const folders = {
    queue: join(ipc, "queue"),
    processing: join(ipc, "processing"),
    results: join(ipc, "results"),
    bad: join(ipc, "bad"),
  };
  for (const folder of Object.values(folders))
    await mkdir(folder, { recursive: true, mode: 0o700 });
  return folders;
}

/** Job files waiting in the queue or in one of its pools, oldest name first. Files still being written are left alone. */
export async function waitingJobs(queue: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(queue, { withFileTypes: true })) {
    const path = join(queue, entry.name);
    if (entry.isDirectory()) {
      for (const name of await readdir(path)) if (isJobName(name)) found.push(join(path, name));
    } else if (isJobName(entry.name)) found.push(path);
  }
  return found.sort();
}

export async function poolFolders(queue: string): Promise<string[]> {
  const entries = await readdir(queue, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(queue, entry.name));
}

const isJobName = (name: string): boolean => name.endsWith(".json") && !name.startsWith(".");

/** Takes the file for ourselves, or says that somebody (or an earlier job of that id) was first. */
export async function claim(
  path: string,
  processing: string,
  jobId: string,
): Promise<"claimed" | "taken" | "gone"> {
  try {
    await link(path, join(processing, `${jobId}.json`)); // link refuses an existing name, where rename would replace it
    await unlink(path);
    return "claimed";
  } catch (error) {
    return systemCode(error) === "EEXIST" ? "taken" : "gone";
  }
}

/** Puts a file aside with the reason beside it; its own name is kept where that is free. */
export async function setAside(
  path: string,
  name: string,
  bad: string,
  reason: string,
): Promise<void> {
  const kept = `${randomUUID().slice(0, 8)}-${name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 100)}`;
  try {
    await rename(path, join(bad, kept));
  } catch {
    await rm(path, { force: true });
  }
  await writeWhole(join(bad, `${kept}.reason.txt`), `${reason}\n`);
}

/** tmp → fsync → rename → fsync of the folder: a reader never sees half a result. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const tmp = `${path}.${randomUUID()}.tmp`;
  const file = await open(tmp, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(tmp, path);
  const folder = await open(join(path, ".."), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
