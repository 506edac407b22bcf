import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "./output/atomic-file.ts";

export const NOTE_FOLDER = ".agent-runner";

/** Where the note of a task is, relative to the repo. */
export const notePath = (taskId: string): string => `${NOTE_FOLDER}/task-${taskId}.md`;

/** Writes the note below the repo and says where, relative to it. Throws where it cannot: a warning for the caller. */
export async function writeNote(repoPath: string, taskId: string, text: string): Promise<string> {
  const path = notePath(taskId);
  await ownFolder(repoPath);
  await writeAtomically(join(repoPath, path), text);
  return path;
}

/** Our folder in the repo. A worker could have put a link in its place, which would lead our writing elsewhere. */
export async function ownFolder(repoPath: string): Promise<string> {
  const folder = join(repoPath, NOTE_FOLDER);
  await mkdir(folder, { recursive: true });
  const info = await lstat(folder);
  if (!info.isDirectory()) throw new Error(`${NOTE_FOLDER} is not a folder`);
  return folder;
}
