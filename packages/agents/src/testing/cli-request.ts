import type { CliRequest } from "../cli/agent-cli.ts";
import { claude } from "../cli/claude.ts";
import { codex } from "../cli/codex.ts";
import { cursor } from "../cli/cursor.ts";
import { gemini } from "../cli/gemini.ts";

export const CLI = { codex, claude, gemini, cursor };
export type Name = keyof typeof CLI;

/** A request like any other, changed where a test says so. */
export const request = (over: Partial<CliRequest> = {}): CliRequest => ({
  prompt: "create hello.txt",
  model: "m-1",
  mode: "exec",
  sessionId: null,
  reasoningEffort: null,
  cliPath: null,
  flags: [],
  env: {},
  workdir: "/workspace/project",
  place: "container",
  outputSchema: null,
  baseUrl: null,
  timeoutSec: 1_800,
  idleTimeoutSec: 600,
  toolSpecific: {},
  ...over,
});
