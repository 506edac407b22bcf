import { addUsage, noUsage } from "@multiverse/protocol/usage";
import type { WorkerRunResult } from "../worker.ts";
import { choiceOf } from "./candidates.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** The result of a step that several CLIs worked on: the last one's, with everybody's files and costs. */
export function merged(before: readonly WorkerRunResult[], last: WorkerRunResult): WorkerRunResult {
  const [first] = before;
  if (first === undefined) return last;
  return {
    ...last,
    startedAt: first.startedAt,
    files: [...new Set([...before.flatMap(({ files }) => files), ...last.files])].sort(),
    usage: before.reduce((sum, { usage }) => addUsage(sum, usage), last.usage),
  };
}

/** A step that nobody could finish for now; `before` are those who tried. */
export function limitedResult(
  options: WorkerOptions,
  before: readonly WorkerRunResult[],
  retryAt: Date | null,
): WorkerRunResult {
  const stopped = before.at(-1);
  const at = later(options, retryAt?.toISOString() ?? stopped?.failure?.retryAt ?? null);
  const message = stopped?.failure?.message ?? "every worker is cooling down after a rate limit";
  const failure = { kind: "rate_limited", message, retryAt: at } as const;
  if (stopped) return { ...merged(before.slice(0, -1), stopped), failure };
  const now = options.clock.now().toISOString();
  return {
    id: options.newId("run"),
    tool: choiceOf(options, null).candidates[0]?.tool ?? options.worker.kind,
    model: "",
    startedAt: now,
    finishedAt: now,
    exitCode: null,
    succeeded: false,
    rawOutput: "",
    outputLength: 0,
    summary: message,
    failure,
    files: [],
    usage: noUsage,
    sessionId: null,
  };
}

/** A time that has passed already helps nobody: then the usual time to cool down counts from now. */
function later(options: WorkerOptions, said: string | null): string {
  const now = options.clock.now().getTime();
  const time = said === null ? Number.NaN : Date.parse(said);
  const { cooldownSec } = choiceOf(options, null);
  return new Date(time > now ? time : now + cooldownSec * 1_000).toISOString();
}
