import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import { filePrint, samePrint } from "./file-print.ts";
import type { FilePrint } from "./file-print.ts";
import { gitMarks } from "./git-folder.ts";
import { git, unquote } from "./git.ts";
import type { GitPlace } from "./git.ts";
import { sortByPath } from "./listing.ts";
import { isOurs } from "./tree.ts";
import type { Change, Tree, TreeState } from "./tree.ts";

/** HEAD, and what differs from it with its content's print; everything else is as HEAD has it. */
interface Look {
  readonly head: string;
  /** Null: the file is deleted. `tracked`: HEAD or the index knows it. */
  readonly dirty: ReadonlyMap<string, { print: FilePrint | null; tracked: boolean }>;
  /** What git on the host would obey, in the repository's own folder and in those of repositories inside it. */
  readonly marks: ReadonlyMap<string, FilePrint>;
}

const QUIET = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"];
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const STAT_LINES = 200;

/** The tree of a git work tree, or null where git cannot tell (not installed, damaged, the folder is ignored). */
export async function openGitTree(
  root: string,
  place: GitPlace,
  path: string,
  signal: AbortSignal,
): Promise<Tree | null> {
  const prefix = relative(place.workTree, root);
  const ask = (args: string[]) => git(place, path, args, signal);
  if (prefix !== "" && (await ask(["check-ignore", "-q", "--", root])).ok) return null;
  if (
    !(
      await ask([
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--ignore-submodules=all",
        "--",
        ".",
      ])
    ).ok
  )
    return null;
  const own = (line: string): string | null => ownPath(unquote(line), prefix);
  const lookOf = ({ taken }: TreeState): Look => taken as Look;
  // A folder that only points to its repository cannot lead a worker there: it lies outside.
  const isHere = prefix === "" && (await lstat(join(root, ".git"))).isDirectory();
  let last: Look["dirty"] = new Map();
  return {
    async look(runSignal) {
      const [head, { dirty, nested }] = await Promise.all([
        headOf(place, path, runSignal),
        dirtyFiles({ root, place, path, own, known: last }, runSignal),
      ]);
      last = dirty;
      const marks = await repoMarks(root, isHere ? ["", ...nested] : nested);
      return { taken: { head, dirty, marks } };
    },
    async changes(before, after, runSignal) {
      const [old, now] = [lookOf(before), lookOf(after)];
      const committed = await committedBetween(place, path, old.head, now.head, runSignal);
      const moved = new Map(
        committed.flatMap(([status, name]): [string, string][] => {
          const path = own(name);
          return path === null ? [] : [[path, status]];
        }),
      );
      return compareLooks(old, now, moved, (file) => filePrint(join(root, file)));
    },
    diffStat: (before, after, runSignal) =>
      diffStat(place, path, lookOf(before), lookOf(after), prefix, runSignal),
  };
}

/** A path of the work tree as seen from the repo folder; null if it lies outside or is ours. */
function ownPath(path: string, prefix: string): string | null {
  if (prefix !== "" && !path.startsWith(`${prefix}/`)) return null;
  const own = prefix === "" ? path : path.slice(prefix.length + 1);
  return isOurs(own) ? null : own;
}

const headOf = async (place: GitPlace, path: string, signal: AbortSignal): Promise<string> =>
  (await git(place, path, ["rev-parse", "-q", "--verify", "HEAD^{commit}"], signal)).lines[0] ??
  EMPTY_TREE;

interface Asking {
  readonly root: string;
  readonly place: GitPlace;
  readonly path: string;
  readonly own: (line: string) => string | null;
  readonly known: Look["dirty"];
}

async function dirtyFiles(
  { root, place, path, own, known }: Asking,
  signal: AbortSignal,
): Promise<{ dirty: Look["dirty"]; nested: string[] }> {
  const { ok, lines } = await git(
    place,
    path,
    [
      "status",
      "--porcelain=v1",
      "--untracked-files=all",
      "--no-renames",
      "--ignore-submodules=all",
    ],
    signal,
  );
  if (!ok) throw new Error("git cannot read the working tree any more");
  const dirty = new Map<string, { print: FilePrint | null; tracked: boolean }>();
  const nested = await gitLinks(place, path, own, signal);
  for (const line of lines) {
    const file = own(line.slice(3));
    if (file === null) continue;
    if (file.endsWith("/")) {
      nested.push(file);
      continue;
    }
    const print = await filePrint(join(root, file), known.get(file)?.print);
    dirty.set(file, { print, tracked: !line.startsWith("??") && !line.startsWith("A") });
  }
  return { dirty, nested };
}

/** Folders that the index takes for repositories of their own; status is told to keep quiet about them. */
async function gitLinks(
  place: GitPlace,
  path: string,
  own: Asking["own"],
  signal: AbortSignal,
): Promise<string[]> {
  const { lines } = await git(place, path, ["ls-files", "--stage"], signal);
  return lines.flatMap((line) => {
    const file = line.startsWith("160000 ") ? own(line.slice(line.indexOf("\t") + 1)) : null;
    return file === null ? [] : [`${file}/`];
  });
}

/** Of these folders' repositories, what git would obey in them, or the pointer to another. Status says nothing about it. */
async function repoMarks(root: string, folders: readonly string[]): Promise<Look["marks"]> {
  const marks = new Map<string, FilePrint>();
  for (const folder of folders) {
    const pointer = await filePrint(join(root, folder, ".git"));
    if (pointer) marks.set(`${folder}.git`, pointer);
    else
      for (const { path, print } of await gitMarks(join(root, folder, ".git")))
        marks.set(`${folder}.git/${path}`, print);
  }
  return marks;
}

async function committedBetween(
  place: GitPlace,
  path: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<[status: string, path: string][]> {
  if (from === to) return [];
  const { lines } = await git(place, path, ["diff", "--name-status", ...QUIET, from, to], signal);
  return lines.flatMap((line): [string, string][] => {
    const [status, name] = line.split("\t");
    return status !== undefined && name !== undefined ? [[status, name]] : [];
  });
}

/** What happened between two looks. A file that was dirty before counts only if its content is another one now. */
async function compareLooks(
  old: Look,
  now: Look,
  moved: ReadonlyMap<string, string>,
  printNow: (path: string) => Promise<FilePrint | null>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const path of new Set([...old.dirty.keys(), ...now.dirty.keys(), ...moved.keys()])) {
    const before = old.dirty.get(path);
    const after = now.dirty.get(path);
    const print = after ? after.print : await printNow(path);
    if (before) {
      const kind = kindOf(before.print, print);
      if (kind) changes.push({ path, kind });
    } else if (!print) changes.push({ path, kind: "deleted" });
    else if (after ? !after.tracked && moved.get(path) === undefined : moved.get(path) === "A")
      changes.push({ path, kind: "added" });
    else changes.push({ path, kind: print.size === 0 ? "emptied" : "modified" });
  }
  for (const path of new Set([...old.marks.keys(), ...now.marks.keys()])) {
    const kind = kindOf(old.marks.get(path) ?? null, now.marks.get(path) ?? null);
    if (kind) changes.push({ path, kind });
  }
  return sortByPath(changes);
}

function kindOf(before: FilePrint | null, after: FilePrint | null): Change["kind"] | null {
  if (!before) return after ? "added" : null;
  if (!after) return "deleted";
  if (samePrint(before, after)) return null;
  return after.size === 0 ? "emptied" : "modified";
}

async function diffStat(
  place: GitPlace,
  path: string,
  before: Look,
  after: Look,
  prefix: string,
  signal: AbortSignal,
): Promise<string> {
  const { lines } = await git(
    place,
    path,
    [
      "diff",
      "--stat=120",
      ...QUIET,
      before.head,
      "--",
      prefix === "" ? "." : prefix,
      ":(exclude,glob)**/.agent-runner/**",
    ],
    signal,
  );
  const untracked = [...after.dirty].flatMap(([file, { tracked, print }]): [string, FilePrint][] =>
    tracked || print === null ? [] : [[file, print]],
  );
  const marked = [...after.marks].filter(([file]) => !before.marks.has(file));
  const all = [
    ...lines,
    ...[...untracked, ...marked].map(([file, { size }]) => ` ${file} | new, ${size} bytes`),
  ];
  return [
    ...all.slice(0, STAT_LINES),
    ...(all.length > STAT_LINES ? [` … and ${all.length - STAT_LINES} more`] : []),
  ].join("\n");
}
