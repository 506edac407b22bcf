import type { LlmSettings } from "@multiverse/protocol/settings";
import { agentsHere, type AgentsHere } from "./agents-here.ts";
import type { Demo } from "./compose.ts";
import type { Environment } from "./environment.ts";
import type { Home } from "./home.ts";
import { createSettings } from "./settings.ts";

/** Who does the work, and the line that says so to the person who starts it. */
export interface Chosen {
  readonly demo: Demo;
  readonly says: string;
}

const SCRIPTED = "demo agent: scripted, no AI";

/**
 * The demo agent works where someone asked for it, and where nobody chose a meta-agent and no real one could do a task
 * here. It is said which of the two it is, and what is missing.
 */
export function chooseAgents(
  here: AgentsHere,
  chosen: LlmSettings | null,
  forced: boolean,
): Chosen {
  if (forced || chosen?.kind === "mock") return { demo: { on: true, forced }, says: SCRIPTED };
  const missing = chosen ? [] : missingParts(here);
  if (missing.length > 0)
    return {
      demo: { on: true, forced },
      says: `${SCRIPTED}. For real work: ${missing.join("; ")} (\`multiverse doctor\` says more)`,
    };
  const planner = (chosen ?? here.planner)?.kind ?? "nobody";
  const workers = here.workers.map(({ kind, login }) => `${kind} (${login})`).join(", ");
  const where = here.docker ? "in Docker" : "once Docker runs";
  return {
    demo: { on: false, forced },
    says: `planning: ${planner} · working ${where}: ${workers || "nobody is logged in"}`,
  };
}

function missingParts({ docker, workers, planner }: AgentsHere): string[] {
  return [
    ...(workers.length === 0 ? ["log in to a coding CLI"] : []),
    ...(workers.length > 0 && planner === null
      ? ["install the CLI you are logged in to, or set OPENAI_API_KEY, so that someone can plan"]
      : []),
    ...(docker ? [] : ["start Docker"]),
  ];
}

/** What `--demo` asks for, or what this machine leaves no choice about. */
export async function demoFor(
  { environment, home }: { readonly environment: Environment; readonly home: Home },
  flags: { readonly demo?: boolean },
): Promise<Chosen> {
  const chosen = await createSettings(home)
    .llm.read()
    .catch(() => null);
  return chooseAgents(await agentsHere(environment), chosen, flags.demo === true);
}
