import type { Logger } from "@multiverse/agents/log";
import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import type { Mask } from "@multiverse/agents/secrets";
import type { Clock } from "@multiverse/protocol/clock";
import type { LlmSettings } from "@multiverse/protocol/settings";
import type { ServerPorts } from "./ports.ts";

export interface PlannerOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly mask: Mask;
  readonly log: Logger;
}

/** The orchestrator's planner: the meta-agent that the settings name. */
export function createPlanner(options: PlannerOptions): ServerPorts["planPatch"] {
  return async (llm, request, signal) =>
    (await metaAgent(llm, options).planPatch(request, signal)).answer;
}

/** The connection test: the smallest planning question there is, asked for real. */
export function createProbe(options: PlannerOptions): ServerPorts["ask"] {
  return async (llm, signal) => {
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
