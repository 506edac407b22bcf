import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnDetached } from "@multiverse/agents/detached";
import { killGroup } from "@multiverse/agents/process-group";
import { readSmall } from "./read-beneath.ts";

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
 * project exists for it; where HEAD is, we read ourselves. A `.git` that is a file or a link counts as none.
 */
export async function committedFiles(
  files: readonly string[],
  options: CommittedOptions,
): Promise<ReadonlyMap<string, Committed>> {
  const nothing = new Map(files.map((file): [string, Committed] => [file, null]));
  const head = await headOf(options.projectRoot);
  // A name with a line end cannot be asked for; it is shown as new.
  const askable = files.filter((file) => !/[\n\r]/.test(file));
  if (head === null || askable.length === 0) return nothing;
  const bare = await emptyRepository(options.scratch);
  const folder = await mkdtemp(join(options.scratch, "read-"));
  try {
    const ask = async (mode: string, names: readonly string[]): Promise<Buffer> => {
      const out = join(folder, mode);
      const stdin = names.map((name) => `${head}:${name}\n`).join("");
      await catFile(bare, options, [mode], stdin, out);
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

const HASH = /^[0-9a-f]{40}$/;

/** The commit that HEAD names, read without git: loose refs first, then packed-refs. */
async function headOf(projectRoot: string): Promise<string | null> {
  const head = (await readSmall(projectRoot, ".git/HEAD"))?.trim() ?? "";
  if (HASH.test(head)) return head;
  const ref = /^ref: (refs\/[A-Za-z0-9._/-]+)$/.exec(head)?.[1];
  if (ref === undefined || ref.includes("..")) return null;
  const loose = (await readSmall(projectRoot, `.git/${ref}`))?.trim() ?? "";
  if (HASH.test(loose)) return loose;
  const packed = (await readSmall(projectRoot, ".git/packed-refs")) ?? "";
  const line = packed.split("\n").find((each) => each.endsWith(` ${ref}`));
  const hash = line?.slice(0, 40) ?? "";
  return HASH.test(hash) ? hash : null;
}

async function emptyRepository(scratch: string): Promise<string> {
  const bare = join(scratch, "empty.git");
  await mkdir(join(bare, "objects"), { recursive: true, mode: 0o700 });
  await mkdir(join(bare, "refs"), { recursive: true, mode: 0o700 });
  await writeFile(join(bare, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(join(bare, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n");
  return bare;
}

const HARDENED = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never"]
  .concat("submodule.recurse=false", "core.pager=cat", "safe.bareRepository=explicit")
  .flatMap((setting) => ["-c", setting]);

async function catFile(
  bare: string,
  { projectRoot, path }: CommittedOptions,
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
        GIT_OBJECT_DIRECTORY: join(projectRoot, ".git/objects"),
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

/** Sizes of the blobs among the answers of `--batch-check`, one line per name in order. */
function sizesOf(answer: Buffer, names: readonly string[]): ReadonlyMap<string, number> {
  const lines = answer.toString("utf8").split("\n");
  return new Map(
    names.flatMap((name, index): [string, number][] => {
      const size = /^[0-9a-f]{40} blob (\d+)$/.exec(lines[index] ?? "")?.[1];
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
    const size = Number(/^[0-9a-f]{40} blob (\d+)$/.exec(header)?.[1] ?? -1);
    at = end + 1;
    if (size < 0) continue;
    contents.set(name, answer.subarray(at, at + size));
    at += size + 1;
  }
  return contents;
}
