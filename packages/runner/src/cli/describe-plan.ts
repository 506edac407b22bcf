import { modelFor } from "@multiverse/agents/cli/model";
import { cliOf } from "@multiverse/agents/cli/registry";
import type { AgentCli } from "@multiverse/agents/cli/agent-cli";
import { DEFAULT_META_MODEL } from "@multiverse/agents/meta/default-model";
import type { ResolvedTask } from "../task-file/resolve-task.ts";

const PROJECT = "/workspace/project";

/** What would be started, as data: which model is asked, which command runs where. Nothing is run or looked up. */
export async function describePlan(task: ResolvedTask, metaModel: string | undefined) {
  const { worker, meta } = task;
  const cli =
    worker.kind === "mock"
      ? (await import("@multiverse/agents/cli/mock")).mock
      : cliOf(worker.kind);
  const isLocal = worker.kind === "mock" || worker.sandbox === "local";
  return {
    meta: { kind: meta.kind, model: metaModel ?? meta.model ?? defaultMetaModel(meta.kind) },
    sandbox: isLocal
      ? { kind: "local", project_dir: task.repoPath }
      : {
          kind: "docker",
          image: worker.dockerImage ?? `${cli?.image ?? ""}:latest`,
          project_dir: PROJECT,
          network: worker.network,
          memory: worker.memory,
          cpus: worker.cpus,
        },
    worker: cli ? workerPlan(cli, task, isLocal) : null,
    checks: task.test ? [{ command: task.test.command, workdir: task.test.cwd }] : [],
  };
}

function defaultMetaModel(kind: ResolvedTask["meta"]["kind"]): string {
  if (kind === "openai-chat" || kind === "codex-cli") return DEFAULT_META_MODEL;
  return cliOf(kind)?.defaultModel ?? "";
}

function workerPlan(cli: AgentCli, { worker, repoPath }: ResolvedTask, isLocal: boolean) {
  const { model } = modelFor(cli, worker.model);
  const { command, args, workdir, timeoutSec, idleTimeoutSec } = cli.plan({
    prompt: "",
    model,
    mode: "exec",
    sessionId: null,
    reasoningEffort: null,
    cliPath: worker.cliPath ?? null,
    flags: worker.flags,
    env: {},
    workdir: isLocal ? repoPath : PROJECT,
    place: isLocal ? "host-guarded" : "container",
    outputSchema: null,
    baseUrl: null,
    timeoutSec: worker.maxRunTimeSec,
    idleTimeoutSec: worker.idleTimeoutSec,
    toolSpecific: {},
  });
  return {
    kind: cli.kind,
    model,
    command,
    args: [...args],
    workdir,
    stdin: "(the prompt)",
    env: Object.keys(worker.env),
    timeout_sec: timeoutSec,
    idle_timeout_sec: idleTimeoutSec,
  };
}
