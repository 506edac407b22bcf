import { describe, expect, test } from "vitest";
import type { CliRequest } from "./agent-cli.ts";
import { CLI, request, type Name } from "../testing/cli-request.ts";
import { gemini } from "./gemini.ts";
import { modelFor } from "./model.ts";
import { CODING_CLIS, cliOf } from "./registry.ts";

const common = {
  workdir: "/workspace/project",
  stdin: "create hello.txt",
  timeoutSec: 1_800,
  idleTimeoutSec: 600,
};

const codexTail = [
  "-C",
  "/workspace/project",
  "--json",
  "-m",
  "m-1",
  "-c",
  'model_reasoning_effort="medium"',
  "-c",
  "analytics.enabled=false",
  "--disable",
  "plugins",
  "-c",
  'shell_environment_policy.exclude=["CODEX_API_KEY"]',
  "-c",
  "model_provider=multiverse",
  "-c",
];
const codexProvider = (baseUrl = ""): string =>
  `model_providers.multiverse={name="OpenAI",${baseUrl}requires_openai_auth=true,wire_api="responses",request_max_retries=0,stream_max_retries=0}`;
const quietClaude = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
};
const pinned = (address = "https://api.anthropic.com"): string[] => [
  "--settings",
  JSON.stringify({ env: { ANTHROPIC_BASE_URL: address, NODE_TLS_REJECT_UNAUTHORIZED: "1" } }),
];
const streamJson = ["-p", "--output-format", "stream-json", "--verbose"];

describe("plans, whole", () => {
  test.each<[string, Name, Partial<CliRequest>, object]>([
    [
      "codex in a container",
      "codex",
      {},
      {
        command: "codex",
        args: [
          "exec",
          "--dangerously-bypass-approvals-and-sandbox",
          ...codexTail,
          codexProvider(),
          "-",
        ],
        env: {},
      },
    ],
    [
      "codex resumed, with effort, flags and another address",
      "codex",
      {
        mode: "resume",
        sessionId: "t-1",
        flags: ["--add-dir", "/x"],
        env: { OPENAI_BASE_URL: "http://gw/v1", K: "v" },
      },
      {
        command: "codex",
        args: [
          "exec",
          "--dangerously-bypass-approvals-and-sandbox",
          ...codexTail,
          codexProvider('base_url="http://gw/v1",'),
          "--add-dir",
          "/x",
          "resume",
          "t-1",
          "-",
        ],
        env: { K: "v" },
      },
    ],
    [
      "codex on the host for a question",
      "codex",
      { place: "host-read-only", outputSchema: {}, outputSchemaFile: "/s/schema.json" },
      {
        command: "codex",
        args: [
          "exec",
          "--sandbox",
          "read-only",
          "--ephemeral",
          "--skip-git-repo-check",
          ...codexTail,
          codexProvider(),
          "--output-schema",
          "/s/schema.json",
          "-",
        ],
        env: {},
      },
    ],
    [
      "codex on the host by permission",
      "codex",
      { place: "host-guarded", cliPath: "/opt/codex" },
      {
        command: "/opt/codex",
        args: [
          "exec",
          "--sandbox",
          "workspace-write",
          "--skip-git-repo-check",
          ...codexTail,
          codexProvider(),
          "-",
        ],
        env: {},
      },
    ],
    [
      "claude in a container",
      "claude",
      { reasoningEffort: "high", baseUrl: "http://gw" },
      {
        command: "claude",
        args: [
          ...streamJson,
          "--dangerously-skip-permissions",
          "--model",
          "m-1",
          ...pinned("http://gw"),
          "--effort",
          "high",
        ],
        env: { ...quietClaude, IS_SANDBOX: "1", ANTHROPIC_BASE_URL: "http://gw" },
      },
    ],
    [
      "claude resumed",
      "claude",
      { mode: "resume", sessionId: "s-1" },
      {
        command: "claude",
        args: [
          ...streamJson,
          "--dangerously-skip-permissions",
          "--model",
          "m-1",
          ...pinned(),
          "--resume",
          "s-1",
        ],
        env: { ...quietClaude, IS_SANDBOX: "1" },
      },
    ],
    [
      "claude on the host for a question",
      "claude",
      { place: "host-read-only", outputSchema: { type: "object" } },
      {
        command: "claude",
        args: [
          ...streamJson,
          "--no-session-persistence",
          "--tools",
          "",
          "--model",
          "m-1",
          ...pinned(),
          "--json-schema",
          '{"type":"object"}',
        ],
        env: quietClaude,
      },
    ],
    [
      "claude on the host by permission",
      "claude",
      { place: "host-guarded" },
      {
        command: "claude",
        args: [...streamJson, "--permission-mode", "acceptEdits", "--model", "m-1", ...pinned()],
        env: quietClaude,
      },
    ],
    [
      "gemini in a container",
      "gemini",
      { env: { GEMINI_API_KEY: "k" }, baseUrl: "http://gw" },
      {
        command: "gemini",
        args: ["-o", "stream-json", "--yolo", "--skip-trust", "-m", "m-1"],
        env: {
          GEMINI_API_KEY: "k",
          GEMINI_CLI_NO_RELAUNCH: "true",
          GOOGLE_GEMINI_BASE_URL: "http://gw",
        },
      },
    ],
    [
      "gemini resumed with its own login and the CLI's model",
      "gemini",
      { mode: "resume", sessionId: "s-1", model: "" },
      {
        command: "gemini",
        args: ["-o", "stream-json", "--yolo", "--skip-trust", "--resume", "s-1"],
        env: {
          GEMINI_CLI_NO_RELAUNCH: "true",
          GOOGLE_GEMINI_BASE_URL: "",
        },
      },
    ],
    [
      "gemini on the host for a question",
      "gemini",
      { place: "host-read-only" },
      {
        command: "gemini",
        args: ["-o", "stream-json", "--approval-mode", "plan", "--skip-trust", "-m", "m-1"],
        env: { GEMINI_CLI_NO_RELAUNCH: "true", GOOGLE_GEMINI_BASE_URL: "" },
      },
    ],
    [
      "gemini on the host by permission",
      "gemini",
      { place: "host-guarded" },
      {
        command: "gemini",
        args: [
          "-o",
          "stream-json",
          "--sandbox",
          "--approval-mode",
          "auto_edit",
          "--skip-trust",
          "-m",
          "m-1",
        ],
        env: { GEMINI_CLI_NO_RELAUNCH: "true", GOOGLE_GEMINI_BASE_URL: "" },
      },
    ],
    [
      "cursor in a container",
      "cursor",
      { mode: "resume", sessionId: "c-1" },
      {
        command: "cursor-agent",
        args: [
          "-p",
          "--output-format",
          "stream-json",
          "--force",
          "--trust",
          "--model",
          "m-1",
          "--resume",
          "c-1",
        ],
        env: {},
      },
    ],
    [
      "cursor on the host for a question",
      "cursor",
      { place: "host-read-only", model: "" },
      {
        command: "cursor-agent",
        args: ["-p", "--output-format", "stream-json", "--mode", "ask", "--trust"],
        env: {},
      },
    ],
    [
      "cursor on the host by permission",
      "cursor",
      { place: "host-guarded", model: "" },
      {
        command: "cursor-agent",
        args: ["-p", "--output-format", "stream-json", "--sandbox", "enabled", "--trust"],
        env: {},
      },
    ],
  ])("%s", (_, name, over, plan) => {
    expect(CLI[name].plan(request(over))).toEqual({ ...common, ...plan });
  });
});

test("the prompt is on stdin and never in the arguments", () => {
  for (const cli of CODING_CLIS) {
    const plan = cli.plan(request({ prompt: "a prompt nobody else has" }));
    expect(plan.stdin).toBe("a prompt nobody else has");
    expect(JSON.stringify([plan.args, plan.env])).not.toContain("nobody else has");
  }
});

test("each kind leads to its CLI, and a kind without one to none", () => {
  expect(CODING_CLIS.map((cli) => cliOf(cli.kind))).toEqual([...CODING_CLIS]);
  expect(cliOf("openai-chat")).toBeUndefined();
});

test.each<[Name, string | undefined, object]>([
  ["codex", undefined, { model: "", warning: expect.stringContaining("gpt-5.2-codex") }],
  ["codex", "5.1-codex-mini", { model: "gpt-5.1-codex-mini", warning: expect.anything() }],
  ["codex", "gpt-5.5", { model: "gpt-5.5", warning: null }],
  ["claude", undefined, { model: "claude-haiku-4-5-20251001", warning: null }],
  ["gemini", undefined, { model: "gemini-3-flash-preview", warning: null }],
  ["cursor", undefined, { model: "", warning: null }],
  ["cursor", "anything", { model: "anything", warning: null }],
])("the model of %s asked for %j", (name, named, choice) => {
  expect(modelFor(CLI[name], named)).toEqual(choice);
});

test("gemini's settings switch its retries off, and leave the person's own alone", () => {
  const withKey = (...keys: string[]): unknown =>
    JSON.parse(gemini.homeFiles(keys)[".gemini/settings.json"] ?? "");
  expect(withKey("GEMINI_API_KEY")).toMatchObject({
    general: { maxAttempts: 1 },
    security: { auth: { selectedType: "gemini-api-key" } },
  });
  expect(withKey("GOOGLE_GENAI_USE_VERTEXAI")).toMatchObject({
    security: { auth: { selectedType: "vertex-ai" } },
  });
  expect(gemini.homeFiles([])).toEqual({});
});
