import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { filePrint, samePrint } from "./file-print.ts";
import type { FilePrint } from "./file-print.ts";
import { gitMarks } from "./git-folder.ts";
import { isOurs } from "./tree.ts";
import type { Change, Tree, TreeState } from "./tree.ts";

type Prints = ReadonlyMap<string, FilePrint>;

/** Installed packages are nobody's work, and hashing them on every look would take longer than the work. */
const SKIPPED = new Set([".git", "node_modules"]);
const AT_ONCE = 32;

/** A tree without git: every file's size, time and hash before and after. */
export function openListing(root: string): Tree {
  let last: Prints = new Map();
  const printsOf = ({ taken }: TreeState): Prints => taken as Prints;
  return {
    async look(signal) {
      last = await list(root, last, signal);
      return { taken: last };
    },
    changes: (before, after) => Promise.resolve(compare(printsOf(before), printsOf(after))),
    diffStat(before, after) {
      const [old, now] = [printsOf(before), printsOf(after)];
      const lines = compare(old, now).map(
        ({ path, kind }) =>
          ` ${path} | ${kind}, ${old.get(path)?.size ?? 0} → ${now.get(path)?.size ?? 0} bytes`,
      );
      return Promise.resolve(lines.join("\n"));
    },
  };
}

async function list(root: string, known: Prints, signal: AbortSignal): Promise<Prints> {
  const found: Found = { paths: [], gitFolders: [] };
  await walk(root, "", found, signal);
  const { paths, gitFolders } = found;
  paths.sort();
  const prints = new Map<string, FilePrint>();
  for (let i = 0; i < paths.length; i += AT_ONCE) {
    signal.throwIfAborted();
    const batch = paths.slice(i, i + AT_ONCE);
    const printed = await Promise.all(
      batch.map((path) => filePrint(join(root, path), known.get(path))),
    );
    batch.forEach((path, at) => {
      const print = printed[at];
      if (print) prints.set(path, print);
    });
  }
  for (const folder of gitFolders)
    for (const { path, print } of await gitMarks(join(root, folder)))
      prints.set(`${folder}/${path}`, print);
  return prints;
}

interface Found {
  readonly paths: string[];
  /** Of a repository only what git on the host would obey. */
  readonly gitFolders: string[];
}

async function walk(
  root: string,
  folder: string,
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === ".git") (entry.isDirectory() ? found.gitFolders : found.paths).push(path);
    if (SKIPPED.has(entry.name) || isOurs(path)) continue;
    if (entry.isDirectory()) await walk(root, path, found, signal);
    else if (entry.isFile() || entry.isSymbolicLink()) found.paths.push(path);
  }
}

/** Pure: what happened between two listings. */
function compare(before: Prints, after: Prints): Change[] {
  const changes: Change[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    if (!old) changes.push({ path, kind: "added" });
    else if (!now) changes.push({ path, kind: "deleted" });
    else if (!samePrint(old, now))
      changes.push({ path, kind: now.size === 0 ? "emptied" : "modified" });
  }
  return sortByPath(changes);
}

export const sortByPath = (changes: Change[]): Change[] =>
  changes.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
