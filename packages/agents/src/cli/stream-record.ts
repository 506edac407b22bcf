import { noUsage, type Usage } from "@multiverse/protocol/usage";
import type { CliFailure, CliOutcome } from "./agent-cli.ts";
import type { OutputLine } from "../sandbox/sandbox.ts";
import { failureOf, type FailureSigns } from "./failure.ts";

/** What has been read of one run so far. Each CLI's parser fills it; the judgement at the end is the same for all. */
export interface StreamRecord {
  /** What the terminal event said; null while none has come. */
  terminal: "succeeded" | "failed" | null;
  failure: CliFailure | null;
  lastMessage: string;
  /** Tools the CLI did not let the model use. */
  readonly denied: string[];
  readonly files: Set<string>;
  usage: Usage;
  sessionId: string | null;
  structured: unknown;
  stderrTail: string;
}

const STDERR_TAIL = 4_096;
const MAX_FILES = 10_000;

export const emptyRecord = (): StreamRecord => ({
  terminal: null,
  failure: null,
  lastMessage: "",
  denied: [],
  files: new Set(),
  usage: noUsage,
  sessionId: null,
  structured: null,
  stderrTail: "",
});

export function keepStderr(record: StreamRecord, { line }: OutputLine): void {
  record.stderrTail = `${record.stderrTail}${line}\n`.slice(-STDERR_TAIL);
}

export function addFile(record: StreamRecord, path: string): void {
  if (record.files.size < MAX_FILES) record.files.add(path);
}

/** Success needs all three: the terminal event says so, the exit code is 0, and nothing was denied. */
export function outcomeOf(
  record: StreamRecord,
  exitCode: number | null,
  signs: FailureSigns,
  now: Date,
): CliOutcome {
  const failure = failureIn(record, exitCode, signs, now);
  return {
    succeeded: failure === null,
    summary: record.lastMessage || (failure?.message ?? ""),
    files: [...record.files].sort(),
    usage: record.usage,
    sessionId: record.sessionId,
    failure,
    structured: record.structured,
  };
}

function failureIn(
  record: StreamRecord,
  exitCode: number | null,
  signs: FailureSigns,
  now: Date,
): CliFailure | null {
  if (record.failure !== null) return record.failure;
  const code = exitCode === null ? "no exit code" : `exit code ${exitCode}`;
  if (record.terminal === null) {
    // A CLI that never got as far as its event stream says why on stderr, if anywhere.
    const said = failureOf(signs, { message: record.stderrTail }, now);
    if (said.kind !== "other") return { ...said, message: lastLine(record.stderrTail) };
    const why = lastLine(record.stderrTail);
    const message = `ended without its final event (${code})${why ? `: ${why}` : ""}`;
    return { kind: "aborted", message, retryAt: null };
  }
  if (record.terminal === "failed")
    return { kind: "other", message: `failed (${code})`, retryAt: null };
  if (record.denied.length > 0) {
    const message = `was not allowed to use: ${[...new Set(record.denied)].join(", ")}`;
    return { kind: "denied", message, retryAt: null };
  }
  if (exitCode !== 0) return { kind: "other", message: `ended with ${code}`, retryAt: null };
  return null;
}

function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").trim().slice(0, 500);
}
