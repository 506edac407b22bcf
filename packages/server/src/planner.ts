import type { Logger } from "@multiverse/agents/log";
import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import type { Mask } from "@multiverse/agents/secrets";
import type { Ports } from "@multiverse/orchestrator/ports";
import type { Clock } from "@multiverse/protocol/clock";
import type { LlmSettings } from "@multiverse/protocol/settings";

export interface PlannerOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly mask: Mask;
  readonly log: Logger;
  /** Asked for every plan, so that a change of settings counts at once. */
  llm(): Promise<LlmSettings>;
}

/** The orchestrator's planner: the meta-agent that the settings name. */
export function createPlanner(options: PlannerOptions): Ports["planPatch"] {
  return async (request, signal) => {
    const meta = metaAgent(await options.llm(), options);
    return (await meta.planPatch(request, signal)).answer;
  };
}

/** The connection test: the smallest planning question there is, asked for real. */
export function createProbe(options: PlannerOptions) {
  return async (llm: LlmSettings, signal: AbortSignal): Promise<string> => {
    const question = {
      task: {
        id: "connection-test",
        title: "Connection test",
        description: "Answer with one acceptance criterion: the connection works.",
        wbsLevel: 0,
        phaseName: "",
        milestone: "",
        dependencies: [],
      },
      prd: "Answer with exactly one acceptance criterion: the connection works.",
      suggestedImpl: null,
      test: null,
    };
    const { call } = await metaAgent(llm, options).planTask(question, signal);
    return `${call.provider}${call.model ? ` (${call.model})` : ""} answered in ${call.durationMs} ms`;
  };
}

const metaAgent = (llm: LlmSettings, { env, clock, mask, log }: PlannerOptions) =>
  createMetaAgent({
    kind: llm.kind,
    model: llm.model,
    baseUrl: llm.baseUrl,
    systemPrompt: llm.systemPrompt,
    env,
    clock,
    mask,
    log,
  });
