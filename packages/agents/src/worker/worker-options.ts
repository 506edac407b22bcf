import type { Clock, NewId, Random } from "@multiverse/protocol/clock";
import type { WorkerSection } from "@multiverse/protocol/task-file";
import type { Tooling } from "@multiverse/protocol/tooling";
import type { AgentCli } from "../cli/agent-cli.ts";
import type { OutputLine, Sandbox } from "../sandbox/sandbox.ts";
import type { CooldownGate } from "../tooling/cooldown.ts";
import type { WorkerReport } from "../worker.ts";

export interface WorkerOptions {
  readonly task: { readonly id: string; readonly repoPath: string };
  readonly worker: WorkerSection;
  readonly tooling: Tooling | null;
  /** The task's variables with every `env:` reference looked up. */
  readonly env: Readonly<Record<string, string>>;
  /** Values among them that must never be shown; logins are added by the worker itself. */
  readonly secrets: readonly string[];
  /** Words of the event format, which no mask can hide; the same as everywhere else in the run. */
  readonly words: ReadonlySet<string>;
  readonly attemptId: string;
  readonly workspaceId: string;
  readonly epoch: number;
  readonly traceId: string;
  /** The environment of the process, as data. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, where logins are looked for. */
  readonly home: string;
  readonly sandboxOf: (kind: Sandbox["kind"]) => Sandbox;
  readonly cliOf: (kind: string) => AgentCli | undefined;
  readonly gate: CooldownGate;
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: NewId;
  readonly report: WorkerReport;
  /** Gets the whole output, masked; events get at most what a person could follow. */
  readonly onOutput?: (line: OutputLine) => void;
}
