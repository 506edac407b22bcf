import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callDocker } from "../harness/docker-api.ts";
import type { DockerEngine } from "../harness/docker.ts";
import type { ScriptedModel } from "../harness/scripted-model/server.ts";
import type { Turn } from "../harness/scripted-model/script.ts";
import type { Place } from "../runner/harness/agent-runner.ts";

export type CliKind = "codex-cli" | "claude-code" | "gemini-cli";

interface Wire {
  readonly protocol: Turn["protocol"];
  readonly addressEnv: string;
  readonly keyEnv: string;
}

export const WIRE: Readonly<Record<CliKind, Wire>> = {
  "codex-cli": { protocol: "openai", addressEnv: "OPENAI_BASE_URL", keyEnv: "CODEX_API_KEY" },
  "claude-code": {
    protocol: "anthropic",
    addressEnv: "ANTHROPIC_BASE_URL",
    keyEnv: "ANTHROPIC_API_KEY",
  },
  "gemini-cli": {
    protocol: "gemini",
    addressEnv: "GOOGLE_GEMINI_BASE_URL",
    keyEnv: "GEMINI_API_KEY",
  },
};

/** The address of this machine as containers on Docker's own network see it. */
export async function hostAddress({ socket }: DockerEngine): Promise<string> {
  const { body } = await callDocker(socket, "GET", "/networks/bridge");
  const { IPAM } = JSON.parse(body.toString()) as { IPAM: { Config: { Gateway?: string }[] } };
  const gateway = IPAM.Config.find((config) => config.Gateway !== undefined)?.Gateway;
  if (gateway === undefined) throw new Error("Docker's bridge has no gateway");
  return gateway;
}

const SCRIPT = `version: 1
tasks:
  - match: '.'
    goal: Create hello.txt with a greeting.
    acceptance_criteria:
      - { description: hello.txt is there, check: test -s hello.txt }
    runs: [{}]
`;

/** The environment of a run whose meta-agent is the scripted one; keys are here, not in the task. */
export function runEnv(
  place: Place,
  keys: Readonly<Record<string, string>> = {},
): Record<string, string> {
  mkdirSync(place.home, { recursive: true });
  const script = join(place.home, "script.yaml");
  writeFileSync(script, SCRIPT);
  return { MULTIVERSE_MOCK_SCRIPT: script, ...keys };
}

export interface CliTask {
  readonly id: string;
  readonly kind: CliKind;
  readonly model: ScriptedModel;
  readonly host: string;
  readonly scenario: string;
  readonly worker?: object;
  readonly runner?: object;
  readonly key?: string;
}

/** The variables that send a CLI to a scenario of the scripted model. */
export function addressOf({ kind, model, host, scenario }: CliTask): Record<string, string> {
  const { protocol, addressEnv } = WIRE[kind];
  return { [addressEnv]: model.baseUrl(host, protocol, scenario) };
}

export function cliTask(task: CliTask): object {
  const key = { [WIRE[task.kind].keyEnv]: task.key ?? "sk-test-0123456789" };
  return {
    version: 1,
    task: { id: task.id, title: "Say hello", prd: { text: "Create hello.txt." } },
    runner: {
      max_loops: 1,
      meta: { kind: "mock" },
      worker: {
        kind: task.kind,
        env: { ...addressOf(task), ...key },
        memory: "1g",
        ...task.worker,
      },
      ...task.runner,
    },
  };
}
