import type { Logger } from "@multiverse/agents/log";
import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import type { MetaAgent } from "@multiverse/agents/meta/meta-agent";
import { withTooling } from "@multiverse/agents/meta/with-tooling";
import type { Mask } from "@multiverse/agents/secrets";
import { openCooldownGate } from "@multiverse/agents/tooling/cooldown";
import type { Clock } from "@multiverse/protocol/clock";
import type { LlmSettings } from "@multiverse/protocol/settings";
import type { MetaChoice, ServerPorts } from "./ports.ts";
import type { TaskBuilderPorts } from "./task-builder.ts";

export interface PlannerOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly mask: Mask;
  readonly log: Logger;
  /** Where rate limits are remembered, shared with every run on this machine. */
  readonly cooldowns: string;
}

/** The orchestrator's planner: whom the tooling chooses, else the meta-agent that the settings name. */
export function createPlanner(options: PlannerOptions): ServerPorts["planPatch"] {
  return async (choice, request, signal) =>
    (await chosenAgent(choice, options).planPatch(request, signal)).answer;
}

/** The task builder's question, asked of whoever would plan. */
export const createTaskAsker =
  (options: PlannerOptions, choice: MetaChoice): TaskBuilderPorts["buildTask"] =>
  async (request, signal) =>
    (await chosenAgent(choice, options).buildTask(request, signal)).answer;

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

function chosenAgent({ llm, tooling }: MetaChoice, options: PlannerOptions): MetaAgent {
  const otherwise = metaAgent(llm, options);
  if (!tooling) return otherwise;
  const { env, clock, mask, log, cooldowns } = options;
  return withTooling({
    tooling,
    gate: openCooldownGate(cooldowns, clock),
    env,
    clock,
    random: Math.random,
    agentOf: (candidate, waitsOutRateLimit) =>
      createMetaAgent({
        kind: candidate.tool,
        model: candidate.model,
        systemPrompt: candidate.systemPrompt ?? llm.systemPrompt,
        baseUrl: llm.baseUrl,
        cliPath: candidate.cliPath,
        flags: candidate.flags,
        timeoutSec: timeoutSec(options),
        env: { ...env, ...candidate.env },
        clock,
        mask,
        log,
        waitsOutRateLimit,
      }),
    otherwise,
  });
}

/** META_TIMEOUT_SEC, as agent-runner reads it. */
function timeoutSec({ env }: PlannerOptions): number | undefined {
  const seconds = Number(env["META_TIMEOUT_SEC"]);
  return seconds > 0 ? seconds : undefined;
}

const metaAgent = (llm: LlmSettings, options: PlannerOptions): MetaAgent =>
  createMetaAgent({
    kind: llm.kind,
    model: llm.model,
    baseUrl: llm.baseUrl,
    systemPrompt: llm.systemPrompt,
    timeoutSec: timeoutSec(options),
    ...options,
  });
