import type { ExecPlan } from "../sandbox/sandbox.ts";
import type { AgentCli, CliRequest } from "./agent-cli.ts";
import { cursorParser } from "./cursor-parser.ts";
import { refuseBypass } from "./host-guard.ts";
import { versionPlan } from "./version-plan.ts";

/**
 * Cursor's `cursor-agent`, written from its documentation and never run: it is not on a package registry. In print mode
 * it may use every tool; `--force` allows commands without asking, `--mode ask` only reads.
 */

const BYPASS = /^--force\b|^-[a-z]*f\b|^--yolo\b|^--approve-mcps\b|^--sandbox[ =]disabled/;

const ACCESS: Readonly<Record<CliRequest["place"], readonly string[]>> = {
  container: ["--force", "--trust"],
  "host-read-only": ["--mode", "ask", "--trust"],
  "host-guarded": ["--sandbox", "enabled", "--trust"],
};

function plan(request: CliRequest): ExecPlan {
  const args = [
    "-p",
    "--output-format",
    "stream-json",
    ...ACCESS[request.place],
    ...(request.model ? ["--model", request.model] : []),
    ...(request.mode === "resume" && request.sessionId ? ["--resume", request.sessionId] : []),
    ...request.flags,
  ];
  refuseBypass("cursor-agent", request.place, args, request.env, BYPASS);
  return {
    command: request.cliPath ?? "cursor-agent",
    args,
    env: request.env,
    workdir: request.workdir,
    stdin: request.prompt,
    timeoutSec: request.timeoutSec,
    idleTimeoutSec: request.idleTimeoutSec,
  };
}

export const cursor: AgentCli = {
  kind: "cursor-cli",
  command: "cursor-agent",
  image: "agent-runner-cursor",
  defaultModel: "",
  shortModels: {},
  models: [],
  login: {
    env: ["CURSOR_API_KEY"],
    files: [".cursor", ".config/cursor"],
    rename: {},
    hint: "Log in with `cursor-agent login`, or set CURSOR_API_KEY.",
  },
  usageIsCumulative: false,
  apiHosts: ["api2.cursor.sh", "api.cursor.com"],
  plan,
  versionPlan: (cliPath) => versionPlan(cliPath ?? "cursor-agent"),
  homeFiles: () => ({}),
  parser: cursorParser,
};
