import type { AgentCli } from "./agent-cli.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";

/** The coding CLIs the product can drive besides the demo agent. Adding one is adding a file and a line here. */
export const CODING_CLIS = [codex, claude, gemini, cursor] as const;

/** Everything known about the CLI of a kind; undefined for kinds that are no coding CLI (mock, openai-chat). */
export function cliOf(kind: string): AgentCli | undefined {
  return CODING_CLIS.find((cli) => cli.kind === kind);
}
