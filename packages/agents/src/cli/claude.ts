import type { ExecPlan } from "../sandbox/sandbox.ts";
import type { AgentCli, CliRequest } from "./agent-cli.ts";
import { claudeParser } from "./claude-parser.ts";
import { refuseBypass } from "./host-guard.ts";
import { versionPlan } from "./version-plan.ts";

/**
 * Claude Code, read from version 2.1.325: `-p` with the prompt on stdin, the working directory is the process's own,
 * and a denied tool still ends with exit code 0, so only the result's `permission_denials` tells.
 */

const BYPASS = /dangerously|bypasspermissions|^--permission-prompt-tool\b/;

const ACCESS: Readonly<Record<CliRequest["place"], readonly string[]>> = {
  container: ["--dangerously-skip-permissions"],
  "host-read-only": ["--no-session-persistence", "--tools", ""],
  "host-guarded": ["--permission-mode", "acceptEdits"],
};

const BASE_URL = "ANTHROPIC_BASE_URL";
const UPSTREAM = "https://api.anthropic.com";

/** No updates, no telemetry, and no retries of its own: a limit has to come back to us at once. */
const QUIET = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
};

/** A project's own settings may set variables, and would win over ours: a repo could send the key to another address. */
const pinned = (request: CliRequest): Record<string, string> => ({
  [BASE_URL]: request.baseUrl ?? request.env[BASE_URL] ?? UPSTREAM,
  NODE_TLS_REJECT_UNAUTHORIZED: "1",
});

function plan(request: CliRequest): ExecPlan {
  const args = [
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    ...ACCESS[request.place],
    ...(request.model ? ["--model", request.model] : []),
    "--settings",
    JSON.stringify({ env: pinned(request) }),
    ...(request.reasoningEffort ? ["--effort", request.reasoningEffort] : []),
    ...(request.outputSchema ? ["--json-schema", JSON.stringify(request.outputSchema)] : []),
    ...(request.mode === "resume" && request.sessionId ? ["--resume", request.sessionId] : []),
    ...request.flags,
  ];
  refuseBypass("claude", request.place, args, request.env, BYPASS);
  return {
    command: request.cliPath ?? "claude",
    args,
    env: {
      ...request.env,
      ...QUIET,
      // Inside a container it may run as any user, root included.
      ...(request.place === "container" ? { IS_SANDBOX: "1" } : {}),
      ...(request.baseUrl === null ? {} : { [BASE_URL]: request.baseUrl }),
    },
    workdir: request.workdir,
    stdin: request.prompt,
    timeoutSec: request.timeoutSec,
    idleTimeoutSec: request.idleTimeoutSec,
  };
}

export const claude: AgentCli = {
  kind: "claude-code",
  command: "claude",
  image: "agent-runner-claude",
  defaultModel: "claude-haiku-4-5-20251001",
  shortModels: { haiku: "haiku", sonnet: "sonnet", opus: "opus" },
  models: [
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-sonnet-4-6",
    "claude-opus-4-5-20251101",
    "claude-sonnet-4-5-20250929",
    "claude-sonnet-4-5",
    "claude-haiku-4-5-20251001",
    "claude-haiku-4-5",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-20250514",
    "haiku",
    "sonnet",
    "opus",
  ],
  login: {
    env: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    files: [".claude", ".claude.json", ".config/claude"],
    rename: {},
    hint: "Log in with `claude` and `/login`, or set ANTHROPIC_API_KEY.",
  },
  usageIsCumulative: false,
  usdIsCumulative: true,
  baseUrlEnv: BASE_URL,
  gatewayUpstream: UPSTREAM,
  // The schema becomes a tool that the model calls, and every call with a missing field is sent back to it.
  schemaForm: "plain",
  apiHosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com"],
  plan,
  versionPlan: (cliPath) => versionPlan(cliPath ?? "claude", QUIET),
  homeFiles: () => ({}),
  parser: claudeParser,
};
