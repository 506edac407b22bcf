import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { runProcess } from "@multiverse/agents/exec";

/** The repository a folder belongs to, found by ourselves and fixed before any worker can swap it. */
export interface GitPlace {
  readonly gitDir: string;
  readonly workTree: string;
}

/**
 * Git as the host may use it in a tree that an agent writes to: no discovery, no configuration but the repository's own,
 * and of that nothing that would run a program.
 */
const ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ATTR_NOSYSTEM: "1",
  LC_ALL: "C",
};
const CONFIG = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "protocol.allow=never",
  "submodule.recurse=false",
  "core.pager=cat",
  "core.quotePath=true",
  "core.untrackedCache=false",
  "core.preloadIndex=true",
  "safe.bareRepository=explicit",
];
/** Names of thousands of files in one answer are no reason to cut a line. */
const LINE_LIMIT = 1_048_576;

export interface GitAnswer {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

export async function git(
  place: GitPlace,
  path: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitAnswer> {
  const filters = args[0] === "config" ? [] : await filtersOff(place, path, signal);
  const lines: string[] = [];
  const { end, exitCode } = await runProcess(
    {
      command: "git",
      args: [
        `--git-dir=${place.gitDir}`,
        `--work-tree=${place.workTree}`,
        ...[...CONFIG, ...filters].flatMap((setting) => ["-c", setting]),
        ...args,
      ],
      env: {},
      workdir: ".",
      stdin: "",
      timeoutSec: 60,
      idleTimeoutSec: 0,
      lineLimit: LINE_LIMIT,
    },
    {
      signal,
      cwd: place.workTree,
      env: { ...ENV, PATH: path },
      onLine: ({ stream, line }) => void (stream === "stdout" && lines.push(line)),
    },
  );
  signal.throwIfAborted();
  return { ok: end === "exited" && exitCode === 0, lines };
}

/** A filter of the repository's own configuration is a program; status would run it. Each is switched off by name. */
async function filtersOff(place: GitPlace, path: string, signal: AbortSignal): Promise<string[]> {
  const { lines } = await git(
    place,
    path,
    ["config", "--name-only", "--get-regexp", "^filter\\."],
    signal,
  );
  const names = new Set(lines.flatMap((line) => /^filter\.(.+)\.[^.]+$/.exec(line)?.[1] ?? []));
  return [...names].flatMap((name) => [
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
}

/** The git repository around a folder, or null. Follows the pointer of a linked work tree once, here. */
export async function findGit(folder: string): Promise<GitPlace | null> {
  for (let at = folder; ; at = dirname(at)) {
    const marker = join(at, ".git");
    const info = await lstat(marker).catch(() => null);
    if (info?.isDirectory()) return { gitDir: await realpath(marker), workTree: at };
    if (info?.isFile()) return followPointer(marker, at);
    if (dirname(at) === at) return null;
  }
}

async function followPointer(marker: string, workTree: string): Promise<GitPlace | null> {
  const target = /^gitdir: (.+?)\s*$/.exec(await readFile(marker, "utf8").catch(() => ""))?.[1];
  if (target === undefined) return null;
  const gitDir = isAbsolute(target) ? target : resolve(workTree, target);
  return realpath(gitDir).then(
    (real) => ({ gitDir: real, workTree }),
    () => null,
  );
}

/** A path as git prints it: plain, or quoted in C style with octal bytes. */
export function unquote(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"')) return text;
  const bytes: number[] = [];
  const inner = Buffer.from(text.slice(1, -1), "utf8");
  for (let i = 0; i < inner.length; i++) {
    const byte = inner[i] ?? 0;
    if (byte !== 0x5c) {
      bytes.push(byte);
      continue;
    }
    const escape = inner.toString("latin1", i + 1, i + 4);
    if (/^[0-3][0-7]{2}/.test(escape)) {
      bytes.push(Number.parseInt(escape, 8));
      i += 3;
    } else {
      bytes.push((ESCAPES[escape[0] ?? ""] ?? escape[0] ?? "").charCodeAt(0));
      i += 1;
    }
  }
  return Buffer.from(bytes).toString("utf8");
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};
