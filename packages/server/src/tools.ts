import type { AgentCli } from "@multiverse/agents/cli/agent-cli";
import { modelFor } from "@multiverse/agents/cli/model";
import { CODING_CLIS, cliOf } from "@multiverse/agents/cli/registry";
import { errorBody } from "@multiverse/protocol/error";
import type {
  ConnectionTest,
  ToolList,
  ValidationAnswer,
} from "@multiverse/protocol/http/responses";
import { LlmSettings } from "@multiverse/protocol/settings";
import { META_KINDS, workerKind } from "@multiverse/protocol/worker-kind";
import type { z } from "zod";
import { firstPlanner } from "./agents-here.ts";
import { loginOf, pingDocker, type Environment } from "./environment.ts";
import { notFound } from "./http-error.ts";
import { onPath } from "./on-path.ts";
import type { SettingsFiles } from "./settings.ts";

type Tool = z.output<typeof ToolList>["tools"][number];

/** The tools that can plan and work, and how each stands here. */
export interface Tools {
  /** The meta-agent that is used: the demo agent in a demo, else what was set, else what is there. */
  llm(): Promise<LlmSettings>;
  list(): Promise<Tool[]>;
  models(id: string): string[];
  validate(tool: string, model: string): z.output<typeof ValidationAnswer>;
  /** Really asks: key, login and model have to be right for it to answer. */
  testLlm(llm: LlmSettings, signal: AbortSignal): Promise<z.output<typeof ConnectionTest>>;
}

export interface ToolsOptions {
  readonly environment: Environment;
  readonly settings: SettingsFiles;
  readonly demo: () => boolean;
  /** One short question to a meta-agent; throws what is wrong. */
  readonly ask: (llm: LlmSettings, signal: AbortSignal) => Promise<string>;
}

const OPENAI_MODELS = ["gpt-5.2", "gpt-5.2-mini", "gpt-5.1"];

export function createTools({ environment, settings, demo, ask }: ToolsOptions): Tools {
  const llm = async (): Promise<LlmSettings> =>
    demo()
      ? LlmSettings.parse({ kind: "mock" })
      : ((await settings.llm.read().catch(() => null)) ??
        (await firstPlanner(environment)) ??
        // With none at all, the one whose absence is easiest to mend.
        LlmSettings.parse({ kind: "openai-chat" }));
  return {
    llm,
    list: async () => [
      openAiTool(environment),
      ...(await cliTools(environment)),
      { id: "mock", available: true, detail: "demo agent: scripted, no AI", hint: "" },
    ],
    models(id) {
      if (id === "openai-chat") return OPENAI_MODELS;
      if (id === "mock") return [];
      const cli = cliOf(workerKind(id) ?? id);
      if (!cli) throw notFound(`tool ${id}`);
      return [...cli.models];
    },
    validate(tool, model) {
      const kind = tool === "openai-chat" ? tool : workerKind(tool);
      if (!kind) {
        const known = META_KINDS.join(", ");
        return { valid: false, warnings: [`there is no tool ${tool}; there are: ${known}`] };
      }
      const cli = cliOf(kind);
      const warning = cli && model ? modelFor(cli, model).warning : null;
      return { valid: true, warnings: warning ? [warning] : [] };
    },
    testLlm: (tested, signal) => testOf(tested, ask, signal),
  };
}

async function testOf(
  llm: LlmSettings,
  ask: ToolsOptions["ask"],
  signal: AbortSignal,
): Promise<z.output<typeof ConnectionTest>> {
  const started = performance.now();
  const durationMs = (): number => Math.round(performance.now() - started);
  try {
    const message = await ask(llm, signal);
    return { ok: true, message, hint: "", durationMs: durationMs() };
  } catch (error) {
    const { message, hint } = errorBody(error).error;
    return { ok: false, message, hint, durationMs: durationMs() };
  }
}

async function cliTools(environment: Environment): Promise<Tool[]> {
  const { ok } = await pingDocker(environment);
  return Promise.all(CODING_CLIS.map((cli) => cliTool(cli, environment, ok)));
}

function openAiTool({ env }: Environment): Tool {
  const isSet = Boolean(env["OPENAI_API_KEY"]);
  return {
    id: "openai-chat",
    available: isSet,
    detail: isSet ? "OPENAI_API_KEY is set" : "OPENAI_API_KEY is not set",
    hint: isSet ? "" : "Set OPENAI_API_KEY in the environment of the server and start it again.",
  };
}

/** A CLI plans on this machine and works in a container: without its program here it can still work. */
async function cliTool(cli: AgentCli, environment: Environment, docker: boolean): Promise<Tool> {
  const place = await onPath(cli.command, environment.path);
  const login = await loginOf(cli, environment);
  const program = place
    ? `found at ${place}`
    : `${cli.command} is not on the PATH: it can work in a container, but not plan`;
  const available = login !== null && (place !== null || docker);
  const missing = login === null ? cli.login.hint : `Install ${cli.command}, or start Docker.`;
  return {
    id: cli.kind,
    available,
    detail: `${program}; ${login === null ? "no login" : `login: ${login}`}`,
    hint: available ? "" : missing,
  };
}
