import type { ExecPlan } from "../sandbox/sandbox.ts";
import type { AgentCli, CliRequest } from "./agent-cli.ts";
import { codexParser } from "./codex-parser.ts";
import { refuseBypass } from "./host-guard.ts";
import { versionPlan } from "./version-plan.ts";

/**
 * OpenAI Codex CLI, read from version 0.166: `exec` reads the prompt from stdin until it closes, `--json` prints one
 * event a line, flags come before `resume`, and `usage` counts the whole thread.
 */

const BYPASS =
  /^--dangerously|danger-full-access|^--yolo\b|^--full-auto\b|approval_policy|sandbox_(?:mode|workspace)/;

const ACCESS: Readonly<Record<CliRequest["place"], readonly string[]>> = {
  container: ["--dangerously-bypass-approvals-and-sandbox"],
  "host-read-only": ["--sandbox", "read-only", "--ephemeral", "--skip-git-repo-check"],
  "host-guarded": ["--sandbox", "workspace-write", "--skip-git-repo-check"],
};

function plan(request: CliRequest): ExecPlan {
  const args = [
    "exec",
    ...ACCESS[request.place],
    "-C",
    request.workdir,
    "--json",
    ...(request.model ? ["-m", request.model] : []),
    "-c",
    `model_reasoning_effort=${tomlString(request.reasoningEffort ?? "medium")}`,
    "-c",
    "analytics.enabled=false",
    "--disable",
    "plugins",
    "-c",
    'shell_environment_policy.exclude=["CODEX_API_KEY"]',
    "-c",
    "model_provider=multiverse",
    "-c",
    `model_providers.multiverse=${provider(request)}`,
    ...(request.outputSchemaFile ? ["--output-schema", request.outputSchemaFile] : []),
    ...request.flags,
    ...(request.mode === "resume" && request.sessionId ? ["resume", request.sessionId] : []),
    "-",
  ];
  refuseBypass("codex", request.place, args, request.env, BYPASS);
  const { [BASE_URL]: _, ...env } = request.env;
  return {
    command: request.cliPath ?? "codex",
    args,
    env,
    workdir: request.workdir,
    stdin: request.prompt,
    timeoutSec: request.timeoutSec,
    idleTimeoutSec: request.idleTimeoutSec,
  };
}

const BASE_URL = "OPENAI_BASE_URL";

/** A provider of our own is the only way to set the retry counts; without an address it is OpenAI's own endpoint. */
function provider(request: CliRequest): string {
  const baseUrl = request.baseUrl ?? request.env[BASE_URL] ?? null;
  const fields = [
    'name="OpenAI"',
    ...(baseUrl === null ? [] : [`base_url=${tomlString(baseUrl)}`]),
    "requires_openai_auth=true",
    'wire_api="responses"',
    "request_max_retries=0",
    "stream_max_retries=0",
  ];
  return `{${fields.join(",")}}`;
}

const tomlString = (text: string): string => JSON.stringify(text);

export const codex: AgentCli = {
  kind: "codex-cli",
  command: "codex",
  image: "agent-runner-codex",
  defaultModel: "gpt-5.2-codex",
  shortModels: { "5.1-codex-mini": "gpt-5.1-codex-mini", "5.2-codex": "gpt-5.2-codex" },
  models: [
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-astra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-5.5",
  ],
  login: {
    env: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    files: [".codex/auth.json"],
    rename: { OPENAI_API_KEY: "CODEX_API_KEY" },
    filesFirst: true,
    hint: "Log in with `codex login`, or set CODEX_API_KEY or OPENAI_API_KEY.",
  },
  usageIsCumulative: true,
  baseUrlEnv: BASE_URL,
  gatewayUpstream: "https://api.openai.com/v1",
  apiHosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  plan,
  versionPlan: (cliPath) => versionPlan(cliPath ?? "codex"),
  homeFiles: () => ({}),
  parser: codexParser,
};
