import { CODING_CLIS } from "@multiverse/agents/cli/registry";
import { LlmSettings } from "@multiverse/protocol/settings";
import { loginOf, pingDocker, type Environment } from "./environment.ts";
import { onPath } from "./on-path.ts";

/** What this machine has to plan and to work with. */
export interface AgentsHere {
  /** Whether containers can be had. */
  readonly docker: boolean;
  /** The coding CLIs that could log in. */
  readonly workers: readonly { readonly kind: string; readonly login: string }[];
  /** The first meta-agent that could plan here; null if none could. */
  readonly planner: LlmSettings | null;
}

export async function agentsHere(environment: Environment): Promise<AgentsHere> {
  const found = await Promise.all(
    CODING_CLIS.map(async ({ kind, ...cli }) => ({ kind, login: await loginOf(cli, environment) })),
  );
  return {
    docker: (await pingDocker(environment)).ok,
    workers: found.flatMap(({ kind, login }) => (login === null ? [] : [{ kind, login }])),
    planner: await firstPlanner(environment),
  };
}

/** A CLI plans on this machine itself, so a login for its container is not enough. */
export async function firstPlanner(environment: Environment): Promise<LlmSettings | null> {
  if (environment.env["OPENAI_API_KEY"]) return LlmSettings.parse({ kind: "openai-chat" });
  for (const cli of CODING_CLIS) {
    const isHere = (await onPath(cli.command, environment.path)) !== null;
    if (isHere && (await loginOf(cli, environment)) !== null)
      return LlmSettings.parse({ kind: cli.kind });
  }
  return null;
}
