import { CODING_CLIS } from "@multiverse/agents/cli/registry";
import { loginOf, pingDocker, type Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { createSettings } from "./settings.ts";

/**
 * Whether the built-in demo agent takes over: nobody has chosen a meta-agent, and Docker or every login is missing, so
 * that no real one could do a task here.
 */
export async function needsDemo(environment: Environment, home: Home): Promise<boolean> {
  const chosen = await createSettings(home)
    .llm.read()
    .catch(() => null);
  if (chosen) return chosen.kind === "mock";
  const logins = await Promise.all(CODING_CLIS.map((cli) => loginOf(cli, environment)));
  if (logins.every((login) => login === null)) return true;
  return !(await pingDocker(environment)).ok;
}
