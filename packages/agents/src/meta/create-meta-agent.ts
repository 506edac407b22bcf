import { toCamel, type Camel } from "@multiverse/protocol/case";
import type { Random } from "@multiverse/protocol/clock";
import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { Candidate, Tooling } from "@multiverse/protocol/tooling";
import type { z } from "zod";
import { silentLogger, type Logger } from "../log.ts";
import { noMask, type Mask } from "../secrets.ts";
import type { CooldownGate } from "../tooling/cooldown.ts";
import { ask } from "./ask.ts";
import type { MetaRecording } from "./ask-options.ts";
import { CALLS } from "./calls.ts";
import { chooseProvider, type ProviderChoice } from "./choose-provider.ts";
import type { MetaAgent, MetaReply } from "./meta-agent.ts";
import type { Provider } from "./provider.ts";
import { withTooling } from "./with-tooling.ts";

export interface MetaAgentOptions extends Omit<ProviderChoice, "log"> {
  /** `--meta-model`: wins over `model` and over a candidate's, unless a tool is forced. */
  readonly modelOverride?: string | undefined;
  /** Who may be asked for what, with the gate that all runs on this machine share; both or neither. */
  readonly tooling?: Tooling | null | undefined;
  readonly gate?: CooldownGate | undefined;
  /** Replaces the product's own system prompts. */
  readonly systemPrompt?: string | undefined;
  readonly random?: Random;
  readonly mask?: Mask;
  readonly log?: Logger;
  readonly report?: (event: RunEventOf<"meta">) => void;
  readonly record?: (entry: MetaRecording) => void;
  /** False while another candidate could be asked: then a rate limit is thrown (RateLimitedError) at once. */
  readonly waitsOutRateLimit?: () => boolean;
}

/**
 * The meta-agent: whom the tooling chooses, else the kind that is named. Nothing is looked up before the first call, so
 * that making one never fails.
 */
export function createMetaAgent(options: MetaAgentOptions): MetaAgent {
  const { tooling, gate } = options;
  const plain = agentOfKind(options);
  if (!tooling || !gate) return plain;
  const { env, clock, random = Math.random } = options;
  const agentOf = (candidate: Candidate, waitsOutRateLimit: () => boolean): MetaAgent =>
    agentOfKind({
      ...options,
      kind: candidate.tool,
      // A forced tool comes with its model; otherwise a model from the command line wins over the candidate's.
      modelOverride: tooling.force.enabled ? undefined : options.modelOverride,
      model: candidate.model,
      env: { ...env, ...candidate.env },
      cliPath: candidate.cliPath,
      flags: candidate.flags,
      systemPrompt: candidate.systemPrompt ?? options.systemPrompt,
      waitsOutRateLimit,
    });
  return withTooling({ tooling, gate, env, clock, random, agentOf, otherwise: plain });
}

function agentOfKind(options: MetaAgentOptions): MetaAgent {
  const log = (options.log ?? silentLogger).withComponent("meta");
  let provider: Provider | undefined;
  const call =
    <Schema extends z.ZodType>(name: MetaCall, schema: Schema) =>
    async (request: object, signal: AbortSignal): Promise<MetaReply<Camel<z.output<Schema>>>> => {
      provider ??= chooseProvider({
        ...options,
        model: options.modelOverride || options.model,
        log,
      });
      const asking = {
        provider,
        log,
        systemPrompt: options.systemPrompt,
        clock: options.clock,
        random: options.random ?? Math.random,
        mask: options.mask ?? noMask,
        report: options.report ?? (() => {}),
        record: options.record ?? (() => {}),
        waitsOutRateLimit: options.waitsOutRateLimit ?? (() => true),
      };
      const got = await ask(asking, name, schema, request, signal);
      return { answer: toCamel(got.answer), call: got.call };
    };
  return {
    planTask: call("plan_task", CALLS.plan_task.schema),
    nextAction: call("next_action", CALLS.next_action.schema),
    assess: call("completion_assessment", CALLS.completion_assessment.schema),
    decompose: call("decompose", CALLS.decompose.schema),
    planPatch: call("plan_patch", CALLS.plan_patch.schema),
    buildTask: call("build_task", CALLS.build_task.schema),
  };
}
