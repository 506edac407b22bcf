import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import type { MetaAgentOptions } from "@multiverse/agents/meta/create-meta-agent";
import type { MetaAgent } from "@multiverse/agents/meta/meta-agent";
import { systemClock } from "@multiverse/agents/system-clock";
import type { CooldownGate } from "@multiverse/agents/tooling/cooldown";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { resolveTooling } from "../task-file/resolve-tooling.ts";
import type { OpenPorts } from "./open-ports.ts";

export interface OpenMeta extends Pick<OpenPorts, "command" | "loaded" | "mask" | "log"> {
  readonly gate: CooldownGate;
  readonly report: (event: RunEventBody) => void;
  readonly record: NonNullable<MetaAgentOptions["record"]>;
}

/** The meta-agent of a task. `--meta-model` wins over the task's model, which wins over the kind's own default. */
export function openMeta({
  command,
  loaded,
  mask,
  log,
  gate,
  report,
  record,
}: OpenMeta): MetaAgent {
  const { host, options } = command;
  const { meta, tooling } = loaded.task;
  return createMetaAgent({
    kind: meta.kind,
    model: meta.model,
    modelOverride: options.metaModel,
    tooling: resolveTooling(tooling, host.env),
    gate,
    temperature: meta.temperature,
    systemPrompt: meta.systemPrompt,
    env: host.env,
    timeoutSec: seconds(host.env.META_TIMEOUT_SEC),
    clock: systemClock,
    random: Math.random,
    mask,
    log,
    report,
    record,
  });
}

/** A timer cannot be set any further than some weeks. */
const LONGEST_SEC = 604_800;

function seconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && text !== "" && Number.isFinite(value) && value > 0
    ? Math.min(value, LONGEST_SEC)
    : undefined;
}
