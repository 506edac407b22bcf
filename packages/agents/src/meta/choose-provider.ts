import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { MetaKind } from "@multiverse/protocol/worker-kind";
import type { AgentCli } from "../cli/agent-cli.ts";
import { modelFor } from "../cli/model.ts";
import { cliOf } from "../cli/registry.ts";
import { mockProvider } from "../demo/mock-provider.ts";
import type { Logger } from "../log.ts";
import { problemWith } from "./candidate.ts";
import { DEFAULT_META_MODEL } from "./default-model.ts";
import { openaiChat } from "./openai-chat.ts";
import type { Provider } from "./provider.ts";
import { viaCli } from "./via-cli.ts";

const OPENAI_URL = "https://api.openai.com/v1";
const HTTP_TIMEOUT_SEC = 60;
const CLI_TIMEOUT_SEC = 600;

export interface ProviderChoice {
  readonly kind: MetaKind;
  /** Empty or absent = the kind's default. */
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  /** The host's environment, as data: keys, base URLs, HOME and PATH are looked up here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl?: string | undefined;
  /** For `openai-chat` (META_TIMEOUT_SEC). */
  readonly timeoutSec?: number | undefined;
  readonly cliTimeoutSec?: number | undefined;
  readonly cliPath?: string | null | undefined;
  readonly flags?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The provider that was asked for; without a key for the API, a CLI with a login takes its place, and the log says so. */
export function chooseProvider(choice: ProviderChoice): Provider {
  if (choice.kind === "mock") return mockProvider({ env: choice.env, clock: choice.clock });
  const cli = cliOf(choice.kind);
  if (cli) return cliProvider(cli, choice);

  const apiKey = choice.env["OPENAI_API_KEY"] || null;
  const baseUrl = choice.baseUrl || choice.env["OPENAI_BASE_URL"] || OPENAI_URL;
  const fallback = apiKey === null ? cliWithLogin(choice) : null;
  if (fallback) {
    choice.log.warn("no OPENAI_API_KEY: a CLI with a login is the meta-agent", {
      provider: fallback.kind,
    });
    const isOpenai = fallback.kind === "codex-cli";
    return cliProvider(fallback, {
      ...choice,
      model: isOpenai ? choice.model : undefined,
      cliPath: null,
      flags: [],
    });
  }
  // A server of one's own may want no key; OpenAI's always does.
  if (apiKey === null && baseUrl === OPENAI_URL) throw keyMissing();
  return openaiChat({
    model: choice.model || DEFAULT_META_MODEL,
    apiKey,
    baseUrl,
    temperature: choice.temperature,
    timeoutSec: choice.timeoutSec || HTTP_TIMEOUT_SEC,
    clock: choice.clock,
  });
}

const FALLBACKS = ["codex-cli", "claude-code", "gemini-cli"] as const;

function cliWithLogin({ env }: ProviderChoice): AgentCli | null {
  const kind = FALLBACKS.find((tool) => problemWith({ tool, env: {} }, env) === null);
  return (kind && cliOf(kind)) ?? null;
}

function cliProvider(cli: AgentCli, choice: ProviderChoice): Provider {
  const named = choice.model || (cli.kind === "codex-cli" ? DEFAULT_META_MODEL : undefined);
  const isOwnDefault = !choice.model && named !== undefined;
  const isUnknown = isOwnDefault && cli.models.length > 0 && !cli.models.includes(named);
  const { model, warning } = isUnknown
    ? { model: "", warning: `${cli.kind} does not know ${named}; its own default model is used` }
    : modelFor(cli, named);
  if (warning !== null) choice.log.warn(warning);
  return viaCli({
    cli,
    model,
    env: choice.env,
    cliPath: choice.cliPath ?? null,
    flags: choice.flags ?? [],
    timeoutSec: choice.cliTimeoutSec ?? CLI_TIMEOUT_SEC,
    now: () => choice.clock.now(),
  });
}

const keyMissing = (): MultiverseError =>
  new MultiverseError(
    "META_KEY_MISSING",
    "no OPENAI_API_KEY is set and no coding CLI is logged in",
    {
      hint: "Set OPENAI_API_KEY, log in with `codex login`, or try the demo agent: `multiverse --demo`.",
    },
  );
