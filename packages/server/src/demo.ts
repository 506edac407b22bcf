import { CODING_CLIS } from "@multiverse/agents/cli/registry";
import type { Demo } from "./compose.ts";
import { loginOf, pingDocker, type Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { createSettings } from "./settings.ts";

/**
 * Whether the built-in demo agent takes over: nobody has chosen a meta-agent, and Docker or every login is missing, so
 * that no real one could do a task here.
 */
async function needsDemo(environment: Environment, home: Home): Promise<boolean> {
  const chosen = await createSettings(home)
    .llm.read()
    .catch(() => null);
  if (chosen) return chosen.kind === "mock";
  const logins = await Promise.all(CODING_CLIS.map((cli) => loginOf(cli, environment)));
  if (logins.every((login) => login === null)) return true;
  return !(await pingDocker(environment)).ok;
}

/** What `--demo` asks for, or what this machine leaves no choice about. */
export async function demoFor(
  { environment, home }: { readonly environment: Environment; readonly home: Home },
  flags: { readonly demo?: boolean },
): Promise<Demo> {
  const forced = flags.demo === true;
  return { on: forced || (await needsDemo(environment, home)), forced };
}
