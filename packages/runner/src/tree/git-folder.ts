import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { filePrint } from "./file-print.ts";
import type { FilePrint } from "./file-print.ts";

/** A part of a git folder that git on the host would obey, or execute. */
export interface GitMark {
  /** Below the git folder. */
  readonly path: string;
  readonly print: FilePrint;
}

/** What git writes at every turn and only ever reads as data. Whatever else lies in there is somebody's word to it. */
const DATA =
  /^(?:[A-Z_]+_HEAD|HEAD|AUTO_MERGE|MERGE_(?:MSG|MODE|RR)|[A-Z]+_EDITMSG|SQUASH_MSG|index|sharedindex\..*|packed-refs|shallow|description|gc\..*|.*\.(?:lock|sample))$/;
/** Folders of nothing but data. A link in them leads what git writes on the host to somewhere else. */
const DATA_FOLDERS: Readonly<Record<string, number>> = {
  objects: 1,
  refs: 99,
  logs: 99,
  "rr-cache": 1,
  lfs: 0,
  "fsmonitor--daemon": 0,
};
/** Folders in which every file counts by itself, but for examples and lists of paths. */
const OBEYED_FOLDERS = new Set(["hooks", "info", "branches", "remotes"]);
const HARMLESS = /\.sample$|^(?:exclude|refs|sparse-checkout)$/;
/** Folders of git folders. */
const INNER_FOLDERS = new Set(["modules", "worktrees"]);
const MOST_ENTRIES = 20_000;
const MOST_OF_A_WHOLE = 200;

/**
 * Everything in a git folder that is more than data: configuration, hooks, links, and the state of a rebase that waits to
 * be continued, in which there can be commands. Known data is left out, not known dangers looked for: git learns new ones.
 */
export async function gitMarks(folder: string, most = MOST_ENTRIES): Promise<GitMark[]> {
  const marks: GitMark[] = [];
  const left = { entries: most };
  await readGitFolder({ folder, marks, left }, "");
  return marks;
}

interface Reading {
  readonly folder: string;
  readonly marks: GitMark[];
  readonly left: { entries: number };
}

async function readGitFolder(reading: Reading, at: string): Promise<void> {
  for (const entry of await entriesOf(reading, at)) {
    const path = below(at, entry.name);
    if (!entry.isDirectory()) {
      if (entry.isSymbolicLink() || !DATA.test(entry.name)) await mark(reading, path);
    } else if (Object.hasOwn(DATA_FOLDERS, entry.name))
      await markFiles(reading, path, DATA_FOLDERS[entry.name] ?? 0, (each) =>
        each.isSymbolicLink(),
      );
    else if (OBEYED_FOLDERS.has(entry.name))
      await markFiles(reading, path, 99, ({ name }) => !HARMLESS.test(name));
    else if (INNER_FOLDERS.has(entry.name)) await readInner(reading, path);
    else await markWhole(reading, path);
  }
}

/** Names of submodules have slashes: a folder without a HEAD holds others. */
async function readInner(reading: Reading, at: string): Promise<void> {
  for (const entry of await entriesOf(reading, at)) {
    const path = below(at, entry.name);
    if (!entry.isDirectory()) await mark(reading, path);
    else if ((await filePrint(join(reading.folder, path, "HEAD"))) === null)
      await readInner(reading, path);
    else await readGitFolder(reading, path);
  }
}

async function markFiles(
  reading: Reading,
  at: string,
  depth: number,
  counts: (entry: Dirent) => boolean,
): Promise<void> {
  for (const entry of await entriesOf(reading, at)) {
    const path = below(at, entry.name);
    if (entry.isDirectory()) {
      if (depth > 0) await markFiles(reading, path, depth - 1, counts);
    } else if (counts(entry)) await mark(reading, path);
  }
}

/** The state of an operation is many files, and one thing to a person: the folder stands for them. */
async function markWhole(reading: Reading, at: string): Promise<void> {
  const inside: Reading = { ...reading, marks: [], left: { entries: MOST_OF_A_WHOLE } };
  await markFiles(inside, at, 99, () => true);
  if (inside.marks.length === 0) return;
  const hash = createHash("sha1");
  for (const { path, print } of inside.marks)
    hash.update(`${path}\0${print.hash}\0${print.size}\n`);
  const print = { size: inside.marks.length, mtime: "", hash: hash.digest("hex") };
  reading.marks.push({ path: at, print });
}

async function mark({ folder, marks }: Reading, path: string): Promise<void> {
  const print = await filePrint(join(folder, path));
  // A file that says nothing, or "here", is one that only keeps its place (see the sandbox's guard).
  if (print === null || print.size === 0) return;
  if (path === "commondir" && (await textOf(join(folder, path))) === ".\n") return;
  marks.push({ path, print });
}

async function entriesOf({ folder, marks, left }: Reading, at: string): Promise<Dirent[]> {
  const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
  // Behind more than anybody reads something could hide.
  if (entries.length > left.entries)
    marks.push({ path: at, print: { size: entries.length, mtime: "", hash: "not read" } });
  const taken = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, left.entries);
  left.entries -= taken.length;
  return taken;
}

const below = (folder: string, name: string): string =>
  folder === "" ? name : `${folder}/${name}`;
const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
