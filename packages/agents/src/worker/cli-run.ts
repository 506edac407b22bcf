import { posix } from "node:path";
import { LIMITS } from "@multiverse/protocol/limits";
import type {
  AgentCli,
  CliFailure,
  CliOutcome,
  CliRequest,
  WorkerStreamEvent,
} from "../cli/agent-cli.ts";
import { END_AT_ONCE } from "../sandbox/sandbox.ts";
import { jsonLine } from "../cli/json-line.ts";
import type { ExecResult, OutputLine, SandboxHandle } from "../sandbox/sandbox.ts";
import type { Mask } from "../secrets.ts";
import { outOfMemory } from "./out-of-memory.ts";
import { createOutputTail } from "./output-tail.ts";

/** A CLI's event may be long (a whole file, a whole answer); it is read as data, so a cut line would be a lost one. */
const EVENT_LIMIT = 4 * 1_048_576;

export interface CliRun {
  readonly exec: ExecResult;
  readonly outcome: CliOutcome;
  readonly rawOutput: string;
  readonly outputLength: number;
}

export interface CliRunReport {
  readonly onEvent: (event: WorkerStreamEvent) => void;
  /** Every line; `isEvent` for those of the CLI's own event stream, which `onEvent` has told in words. */
  readonly onLine: (line: OutputLine, isEvent: boolean) => void;
  /** The CLI is being ended because it means to sit out a limit. */
  readonly onLimited: () => void;
}

/** One call of a CLI in its sandbox: plan, run, read. Everything that leaves here is masked. */
export async function runCli(
  cli: AgentCli,
  request: CliRequest,
  handle: SandboxHandle,
  mask: Mask,
  now: () => Date,
  signal: AbortSignal,
  report: CliRunReport,
): Promise<CliRun> {
  const parser = cli.parser(now);
  const tail = createOutputTail(LIMITS.noteOutputBytes);
  const plan = { ...cli.plan(request), lineLimit: EVENT_LIMIT };
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  const exec = await handle.exec(plan, either, (line) => {
    for (const event of parser.feed(line)) report.onEvent(shown(event, mask, handle.projectDir));
    const masked = { stream: line.stream, line: cut(mask.mask(line.line)) };
    tail.add(masked.line);
    report.onLine(masked, line.stream === "stdout" && jsonLine(line.line) !== null);
    const waits = enough.signal.aborted ? null : parser.waitingFor?.();
    if (!waits) return;
    enough.abort(END_AT_ONCE);
    if (waits.kind === "rate_limited") report.onLimited();
  });
  const waited = enough.signal.aborted && !signal.aborted ? (parser.waitingFor?.() ?? null) : null;
  const ended = waited === null ? exec : { ...exec, end: "exited" as const };
  const read = parser.end(exec.exitCode);
  const outcome = mask.maskDeep(
    waited === null ? read : { ...read, summary: waited.message, failure: waited },
  );
  return {
    exec: ended,
    outcome: {
      ...outcome,
      files: outcome.files.map((file) => relativeTo(handle.projectDir, file)),
    },
    rawOutput: tail.text(),
    outputLength: tail.length(),
  };
}

function shown(event: WorkerStreamEvent, mask: Mask, projectDir: string): WorkerStreamEvent {
  const masked = { ...event, text: cut(mask.mask(event.text)) };
  return event.path === undefined
    ? masked
    : { ...masked, path: relativeTo(projectDir, mask.mask(event.path)) };
}

const cut = (text: string): string =>
  text.length > LIMITS.lineLength
    ? `${text.slice(0, LIMITS.lineLength)} … [line cut at ${LIMITS.lineLength}]`
    : text;

function relativeTo(projectDir: string, file: string): string {
  if (!posix.isAbsolute(file)) return posix.normalize(file);
  const path = posix.relative(projectDir, file);
  return path.startsWith("..") ? file : path;
}

/** How a run that did not exit by itself is told to the meta-agent and to people. */
export function failureOfEnd(
  exec: ExecResult,
  limits: { memory: string; timeoutSec: number; idleTimeoutSec: number },
): CliFailure | null {
  const failure = (kind: CliFailure["kind"], message: string): CliFailure => ({
    kind,
    message,
    retryAt: null,
  });
  switch (exec.end) {
    case "exited":
      return null;
    case "timeout":
      return failure(
        "aborted",
        `stopped after ${limits.timeoutSec} s (runner.worker.max_run_time_sec)`,
      );
    case "idle_timeout":
      return failure(
        "aborted",
        `stopped after ${limits.idleTimeoutSec} s without any output (runner.worker.idle_timeout_sec)`,
      );
    case "canceled":
      return failure("aborted", "canceled");
    case "oom":
      return failure("oom", outOfMemory(limits.memory).message);
    case "lost":
      return failure("other", exec.detail ?? "the sandbox was lost");
  }
}
