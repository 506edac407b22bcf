import type { Logger } from "@multiverse/agents/log";
import type { MetaAgent } from "@multiverse/agents/meta/meta-agent";
import type { Worker } from "@multiverse/agents/worker";
import type { Clock } from "@multiverse/protocol/clock";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { CommandPatterns } from "./patterns.ts";
import type { Tree } from "./tree/tree.ts";

/** What a run needs from outside. Only these are replaced: by fakes in tests, by a recording in a replay. */
export interface RunPorts {
  readonly meta: Pick<MetaAgent, "planTask" | "nextAction" | "assess">;
  readonly worker: Worker;
  readonly tree: Tree;
  readonly clock: Clock;
  readonly patterns: CommandPatterns;
  readonly emit: (event: RunEventBody) => void;
  readonly log: Logger;
  /** Keeps the whole output of worker runs; `end` gives the path relative to the repo. */
  readonly workerLog: { begin(): Promise<void>; end(): string | null };
}
