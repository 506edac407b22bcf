import type { Logger } from "@multiverse/agents/log";
import type { MetaAgent } from "@multiverse/agents/meta/meta-agent";
import type { Worker } from "@multiverse/agents/worker";
import type { Clock } from "@multiverse/protocol/clock";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { Tree } from "./tree/tree.ts";

/** What a run needs from outside. Only these are replaced: by fakes in tests, by a recording in a replay. */
export interface RunPorts {
  readonly meta: Pick<MetaAgent, "planTask" | "nextAction" | "assess">;
  readonly worker: Worker;
  readonly tree: Tree;
  readonly clock: Clock;
  /** The text of the patterns a decision names, put behind the prompt; with what is not known. */
  readonly expandPatterns: (
    prompt: string,
    names: readonly string[],
  ) => { prompt: string; unknown: readonly string[] };
  readonly emit: (event: RunEventBody) => void;
  readonly log: Logger;
  /** Keeps the whole output of worker runs; `end` gives the path relative to the repo. */
  readonly workerLog: { begin(): Promise<void>; end(): string | null };
}
