import type { ExecPlan } from "../sandbox/sandbox.ts";
import type { AgentCli, CliRequest } from "./agent-cli.ts";
import { geminiParser } from "./gemini-parser.ts";
import { refuseBypass } from "./host-guard.ts";
import { versionPlan } from "./version-plan.ts";

/**
 * Gemini CLI, read from version 0.61: the prompt comes on stdin without `-p`, the working directory is the process's
 * own, `--skip-trust` is needed for any folder it has not seen, and its exit code is the HTTP status modulo 256.
 */

const BYPASS = /yolo|^-[a-z]*y(?:[a-z]*\b|=)|allowed-?tools|^--policy|^--no-sandbox/;

const ACCESS: Readonly<Record<CliRequest["place"], readonly string[]>> = {
  container: ["--yolo", "--skip-trust"],
  "host-read-only": ["--approval-mode", "plan", "--skip-trust"],
  "host-guarded": ["--sandbox", "--approval-mode", "auto_edit", "--skip-trust"],
};

const BASE_URL = "GOOGLE_GEMINI_BASE_URL";
const KEY = "GEMINI_API_KEY";
const VERTEX = "GOOGLE_GENAI_USE_VERTEXAI";

/**
 * With a key the way to log in has to be said: next to another address the CLI would guess a kind that it then refuses.
 * With the person's own login their settings say it already, and the rest of ours is in the image (`/etc/gemini-cli`).
 */
const settings = (selectedType: string): object => ({
  security: { auth: { selectedType } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { maxAttempts: 1, enableAutoUpdate: false, enableAutoUpdateNotification: false },
});

function homeFiles(keys: readonly string[] = []): Record<string, string> {
  if (keys.length === 0) return {};
  const way = keys.includes(VERTEX) ? "vertex-ai" : "gemini-api-key";
  return { ".gemini/settings.json": JSON.stringify(settings(way)) };
}

function plan(request: CliRequest): ExecPlan {
  const args = [
    "-o",
    "stream-json",
    ...ACCESS[request.place],
    ...(request.model ? ["-m", request.model] : []),
    ...(request.mode === "resume" && request.sessionId ? ["--resume", request.sessionId] : []),
    ...request.flags,
  ];
  refuseBypass("gemini", request.place, args, request.env, BYPASS);
  return {
    command: request.cliPath ?? "gemini",
    args,
    env: {
      ...request.env,
      // One process, so that a signal reaches it.
      GEMINI_CLI_NO_RELAUNCH: "true",
      ...(request.home !== undefined && request.env[KEY] ? { GEMINI_CLI_HOME: request.home } : {}),
      // Empty where there is none: a `.env` in the project cannot set what is there already.
      [BASE_URL]: request.baseUrl ?? request.env[BASE_URL] ?? "",
    },
    workdir: request.workdir,
    stdin: request.prompt,
    timeoutSec: request.timeoutSec,
    idleTimeoutSec: request.idleTimeoutSec,
  };
}

export const gemini: AgentCli = {
  kind: "gemini-cli",
  command: "gemini",
  image: "agent-runner-gemini",
  defaultModel: "gemini-3-flash-preview",
  shortModels: { flash: "gemini-3-flash-preview", pro: "gemini-3-pro-preview" },
  models: [
    "gemini-3.8-flash",
    "gemini-3.5-flash",
    "gemini-3.5-flash-lite",
    "gemini-3.1-pro-preview",
    "gemini-3.1-flash-lite",
    "gemini-3-pro-preview",
    "gemini-3-flash-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
  ],
  login: {
    env: [KEY, "GOOGLE_API_KEY", VERTEX],
    files: [".gemini"],
    rename: { GOOGLE_API_KEY: KEY },
    companions: ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"],
    hint: "Log in by running `gemini` once, or set GEMINI_API_KEY.",
  },
  usageIsCumulative: false,
  baseUrlEnv: BASE_URL,
  gatewayUpstream: "https://generativelanguage.googleapis.com",
  apiHosts: [
    "generativelanguage.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "oauth2.googleapis.com",
  ],
  plan,
  versionPlan: (cliPath) => versionPlan(cliPath ?? "gemini", { GEMINI_CLI_NO_RELAUNCH: "true" }),
  homeFiles,
  parser: geminiParser,
};
