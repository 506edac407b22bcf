import type { Ports } from "@multiverse/orchestrator/ports";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { LlmSettings } from "@multiverse/protocol/settings";
import type { RunPlace, Runs } from "./run-task.ts";

/** The world behind the server: the meta-agent and the runs. */
export interface ServerPorts {
  readonly planPatch: (
    llm: LlmSettings,
    ...request: Parameters<Ports["planPatch"]>
  ) => Promise<PlanPatch>;
  /** One short question to a meta-agent; throws what is wrong. */
  readonly ask: (llm: LlmSettings, signal: AbortSignal) => Promise<string>;
  readonly runs: (place: RunPlace) => Runs;
}
