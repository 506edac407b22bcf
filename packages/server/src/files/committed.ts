import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnDetached } from "@multiverse/agents/detached";
import { killGroup } from "@multiverse/agents/process-group";
import { lastCommit, type LastCommit } from "./last-commit.ts";

/** What a file held in the project's last commit: its bytes, null if it was not there, `too_large` if it is not worth showing. */
export type Committed = Buffer | null | "too_large";

export interface CommittedOptions {
  readonly projectRoot: string;
  /** A folder of ours for an empty repository: git reads its configuration there and never the project's. */
  readonly scratch: string;
  readonly path: string;
  readonly largest: number;
}

const DEADLINE_MS = 15_000;

/**
 * Reads files of the last commit from a repository that agents can write to. Git is started on an empty repository of
 * our own and is only lent the project's objects, so no hook, filter, textconv, fsmonitor, pager or alias of the
 * project exists for it; where HEAD is, we read ourselves.
 */
export async function committedFiles(
  files: readonly string[],
  options: CommittedOptions,
): Promise<ReadonlyMap<string, Committed>> {
  const nothing = new Map(files.map((file): [string, Committed] => [file, null]));
  const last = await lastCommit(options.projectRoot);
  // A name with a line end cannot be asked for; it is shown as new.
  const askable = files.filter((file) => !/[\n\r]/.test(file));
  if (last === null || askable.length === 0) return nothing;
  const bare = await emptyRepository(options.scratch, last);
  const folder = await mkdtemp(join(options.scratch, "read-"));
  try {
    const ask = async (mode: string, names: readonly string[]): Promise<Buffer> => {
      const out = join(folder, mode);
      const stdin = names.map((name) => `${last.hash}:${name}\n`).join("");
      await catFile({ bare, objects: last.objects, path: options.path }, [mode], stdin, out);
      return readAll(out);
    };
    const sizes = sizesOf(await ask("--batch-check", askable), askable);
    const wanted = askable.filter((name) => (sizes.get(name) ?? Infinity) <= options.largest);
    const contents = contentsOf(await ask("--batch", wanted), wanted);
    return new Map(
      files.map((file): [string, Committed] => {
        const isTooLarge = (sizes.get(file) ?? 0) > options.largest;
        return [file, isTooLarge ? "too_large" : (contents.get(file) ?? null)];
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One that reads hashes of the kind that the project's repository has. */
async function emptyRepository(scratch: string, { hash }: LastCommit): Promise<string> {
  const kind = hash.length === 40 ? "sha1" : "sha256";
  const bare = join(scratch, `empty-${kind}.git`);
  await mkdir(join(bare, "objects"), { recursive: true, mode: 0o700 });
  await mkdir(join(bare, "refs"), { recursive: true, mode: 0o700 });
  await writeFile(join(bare, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(bare, "config"), CONFIG[kind]);
  return bare;
}

const CONFIG = {
  sha1: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
  sha256:
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
};

const HARDENED = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"]
  .concat("submodule.recurse=false", "core.pager=cat", "safe.bareRepository=explicit")
  .flatMap((setting) => ["-c", setting]);

interface Repository {
  readonly bare: string;
  /** The project's, lent to the empty repository. */
  readonly objects: string;
  readonly path: string;
}

async function catFile(
  { bare, objects, path }: Repository,
  args: readonly string[],
  stdin: string,
  stdout: string,
): Promise<void> {
  const { pid, exited } = await spawnDetached(
    "git",
    [`--git-dir=${bare}`, ...HARDENED, "cat-file", ...args],
    {
      cwd: bare,
      env: {
        PATH: path,
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_TERMINAL_PROMPT: "0",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_ALLOW_PROTOCOL: "none",
        GIT_NO_REPLACE_OBJECTS: "1",
        GIT_NO_LAZY_FETCH: "1",
        GIT_OBJECT_DIRECTORY: objects,
      },
      stdin,
      stdout,
    },
  );
  const timer = setTimeout(() => killGroup(pid, "SIGKILL"), DEADLINE_MS);
  await exited;
  clearTimeout(timer);
}

async function readAll(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** How git announces a file. */
const BLOB = /^[0-9a-f]{40,64} blob (\d+)$/;

/** Sizes of the blobs among the answers of `--batch-check`, one line per name in order. */
function sizesOf(answer: Buffer, names: readonly string[]): ReadonlyMap<string, number> {
  const lines = answer.toString("utf8").split("\n");
  return new Map(
    names.flatMap((name, index): [string, number][] => {
      const size = BLOB.exec(lines[index] ?? "")?.[1];
      return size === undefined ? [] : [[name, Number(size)]];
    }),
  );
}

/** The contents in the answer of `--batch`: a header line with the size, that many bytes, a line end. */
function contentsOf(answer: Buffer, names: readonly string[]): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  let at = 0;
  for (const name of names) {
    const end = answer.indexOf(10, at);
    if (end === -1) break;
    const header = answer.toString("latin1", at, end);
    const size = Number(BLOB.exec(header)?.[1] ?? -1);
    at = end + 1;
    if (size < 0) continue;
    contents.set(name, answer.subarray(at, at + size));
    at += size + 1;
  }
  return contents;
}
