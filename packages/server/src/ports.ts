import type { Ports } from "@multiverse/orchestrator/ports";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { LlmSettings } from "@multiverse/protocol/settings";
import type { Tooling } from "@multiverse/protocol/tooling";
import type { RunPlace, Runs } from "./run-task.ts";

/** Who plans: the tooling where it names somebody for it, else the one of the LLM settings. */
export interface MetaChoice {
  readonly llm: LlmSettings;
  readonly tooling: Tooling | null;
}

/** The world behind the server: the meta-agent and the runs. */
export interface ServerPorts {
  readonly planPatch: (
    choice: MetaChoice,
    ...request: Parameters<Ports["planPatch"]>
  ) => Promise<PlanPatch>;
  /** One short question to a meta-agent; throws what is wrong. */
  readonly ask: (llm: LlmSettings, signal: AbortSignal) => Promise<string>;
  readonly runs: (place: RunPlace) => Runs;
}
