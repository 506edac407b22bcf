import type { ChangedFile } from "@multiverse/protocol/http/task-view";
import { committedFiles, type Committed, type CommittedOptions } from "./committed.ts";
import { needsReview } from "./needs-review.ts";
import { openBeneath, type Unreadable } from "./open-beneath.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface Changes {
  readonly files: ChangedFile[];
  readonly truncated: boolean;
}

const MOST_FILES = 200;
const LARGEST = 512 * 1_024;
const MOST_DIFF = 2 * 1_048_576;

/** What a task's files look like now against the last commit, each as a unified diff or with the reason why not. */
export async function changesOf(
  names: readonly string[],
  options: Omit<CommittedOptions, "largest">,
): Promise<Changes> {
  const shown = [...new Set(names)].slice(0, MOST_FILES);
  const committed = await committedFiles(shown, { ...options, largest: LARGEST });
  const files: ChangedFile[] = [];
  let size = 0;
  for (const path of shown) {
    const file = await changeOf(options.projectRoot, path, committed.get(path) ?? null);
    size += file.diff.length;
    if (size > MOST_DIFF) return { files, truncated: true };
    files.push(file);
  }
  return { files, truncated: shown.length < names.length };
}

type Now = { readonly bytes: Buffer } | { readonly why: Unreadable };

async function changeOf(root: string, path: string, before: Committed): Promise<ChangedFile> {
  const now = await readNow(root, path);
  const after = "bytes" in now ? now.bytes : null;
  const review = needsReview(path, before === "too_large" ? null : before, after);
  const shown = (status: ChangedFile["status"], diff = ""): ChangedFile => ({
    path,
    status,
    diff,
    needsReview: review,
  });
  if (before === "too_large") return shown("too_large");
  if ("why" in now && now.why !== "missing") return shown(STATUS_OF[now.why]);
  if ([before, after].some((bytes) => bytes?.includes(0))) return shown("binary");
  const body = unifiedDiff(text(before), text(after));
  const status = after === null ? "deleted" : before === null ? "added" : "modified";
  const from = before === null ? "/dev/null" : `a/${shownName(path)}`;
  const to = after === null ? "/dev/null" : `b/${shownName(path)}`;
  return shown(status, body === "" ? "" : `--- ${from}\n+++ ${to}\n${body}`);
}

const STATUS_OF: Readonly<Record<Exclude<Unreadable, "missing">, ChangedFile["status"]>> = {
  link: "link",
  too_large: "too_large",
  outside: "unreadable",
  special: "unreadable",
  hard_link: "unreadable",
  denied: "unreadable",
};

async function readNow(root: string, path: string): Promise<Now> {
  const opened = await openBeneath(root, path, LARGEST);
  if (!opened.ok) return { why: opened.why };
  try {
    // Not more than was agreed, even if the file has grown since.
    const buffer = Buffer.alloc(opened.size);
    const { bytesRead } = await opened.file.read(buffer, 0, opened.size, 0);
    return { bytes: buffer.subarray(0, bytesRead) };
  } finally {
    await opened.file.close();
  }
}

const text = (bytes: Buffer | null): string => bytes?.toString("utf8") ?? "";

/** A name that cannot pretend to be another line of the diff. */
const shownName = (path: string): string => path.replace(/\p{Cc}/gu, "\u{fffd}");
