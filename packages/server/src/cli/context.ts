import type { Logger } from "@multiverse/agents/log";
import type { Mask } from "@multiverse/agents/secrets";
import type { Environment } from "../environment.ts";
import type { Home } from "../home.ts";
import type { LinePrompt, PromptListeners } from "./live/line-prompt.ts";
import type { Terminal } from "./terminal.ts";

/** What a command has to work with: everything from outside comes in here, once. */
export interface CliContext {
  readonly home: Home;
  readonly environment: Environment;
  readonly version: string;
  readonly cwd: string;
  /** A server's log; commands that print for a person log only what went wrong. */
  readonly log: Logger;
  readonly quietLog: Logger;
  readonly mask: Mask;
  readonly terminal: Terminal;
  /** dist/agent-runner.mjs and dist/web, beside this program. */
  readonly runnerPath: string;
  readonly webRoot: string;
  /** Called on SIGINT, SIGTERM and SIGHUP, each time. */
  onStop(listener: () => void): void;
  /** Lets the person at the terminal type; null where nobody sits there. */
  readonly prompt: ((listeners: PromptListeners) => LinePrompt) | null;
  exit(code: number): void;
}
