import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { Usage } from "@multiverse/protocol/usage";
import type { MetaKind, WorkerKind } from "@multiverse/protocol/worker-kind";
import type { ExecPlan, OutputLine } from "../sandbox/sandbox.ts";
import type { SchemaForm } from "../schema-form.ts";

/** What is wanted of a CLI, in its own terms nowhere: each CLI's file turns this into flags. */
export interface CliRequest {
  readonly prompt: string;
  /** Empty = the CLI's own default. */
  readonly model: string;
  readonly mode: "exec" | "resume";
  readonly sessionId: string | null;
  readonly reasoningEffort: string | null;
  readonly cliPath: string | null;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  /**
   * `container`: the CLI's own sandbox and approvals are off, because a container holds it.
   * `host-read-only`: the meta-agent; the builder refuses to make a plan with bypass flags.
   * `host-guarded`: the local sandbox by explicit permission, with the CLI's own sandbox on.
   */
  readonly place: "container" | "host-read-only" | "host-guarded";
  /** A JSON schema the answer has to follow, where the CLI can enforce one. */
  readonly outputSchema: unknown;
  /** The same in a file, for a CLI that takes it from there. */
  readonly outputSchemaFile?: string;
  /** Base URL of a gateway that holds the real key; null = the CLI's own endpoint. */
  readonly baseUrl: string | null;
  readonly timeoutSec: number;
  readonly idleTimeoutSec: number;
  readonly toolSpecific: Readonly<Record<string, unknown>>;
  /** On the host: a private folder that holds the CLI's `homeFiles`, to be used as its home where it logs in with a key. */
  readonly home?: string;
}

export type WorkerStreamEvent = Omit<RunEventOf<"worker_event">, "type" | "runId">;

export interface CliFailure {
  readonly kind: "rate_limited" | "login" | "aborted" | "denied" | "oom" | "other";
  readonly message: string;
  /** When the provider says the limit lifts (ISO), if it said so. */
  readonly retryAt: string | null;
}

/** What a run of the CLI came to, read from its own event stream. */
export interface CliOutcome {
  /** The terminal event says success, the exit code is 0 and nothing was denied. */
  readonly succeeded: boolean;
  /** The final message. */
  readonly summary: string;
  readonly files: readonly string[];
  /** As reported by the CLI: cumulative over the session where `usageIsCumulative`. */
  readonly usage: Usage;
  readonly sessionId: string | null;
  readonly failure: CliFailure | null;
  /** The document the CLI was made to answer with (`outputSchema`), if any. */
  readonly structured: unknown;
}

/** Reads one run's output line by line. Unknown events are passed over; it never throws. */
export interface CliStreamParser {
  feed(line: OutputLine): WorkerStreamEvent[];
  /**
   * What the CLI means to sit out by itself and cannot be told not to (a limit, a missing network); null as long as there
   * is nothing. Whoever runs it ends it then, and takes this as the failure.
   */
  waitingFor?(): CliFailure | null;
  end(exitCode: number | null): CliOutcome;
}

export interface CliLogin {
  /** Variables that hold a key, in order of preference. */
  readonly env: readonly string[];
  /** Files or folders below the home, with their place in the sandbox's home. */
  readonly files: readonly string[];
  /** Variables handed over under another name (`OPENAI_API_KEY` → `CODEX_API_KEY`). */
  readonly rename: Readonly<Record<string, string>>;
  /** Variables that go along with a key where they are set (a project, a region). */
  readonly companions?: readonly string[];
  /** A login file wins over a key in the environment. */
  readonly filesFirst?: boolean;
  readonly hint: string;
}

/** Everything the product knows about one coding CLI. Adding a CLI is adding a file that holds one of these. */
export interface AgentCli {
  readonly kind: WorkerKind & MetaKind;
  readonly command: string;
  readonly image: string;
  readonly defaultModel: string;
  readonly shortModels: Readonly<Record<string, string>>;
  readonly models: readonly string[];
  readonly login: CliLogin;
  readonly usageIsCumulative: boolean;
  /** The price counts the whole session although the tokens may not. */
  readonly usdIsCumulative?: boolean;
  /** The variable that names another endpoint for the CLI; in the request's `env` it counts as `baseUrl`. */
  readonly baseUrlEnv?: string;
  /** The CLI's own endpoint, in the form its address variable takes: what a gateway passes calls on to. */
  readonly gatewayUpstream?: string;
  /** Hosts the CLI needs where only listed hosts may be reached. */
  readonly apiHosts?: readonly string[];
  /** How it wants to be told the shape of an answer; strict unless it says otherwise. */
  readonly schemaForm?: SchemaForm;
  plan(request: CliRequest): ExecPlan;
  versionPlan(cliPath: string | null): ExecPlan;
  /** Files the CLI needs in its home besides its login (settings), path → content; `keys`: the variables it logs in with, if any. */
  homeFiles(keys?: readonly string[]): Readonly<Record<string, string>>;
  /** `now` is what "try again in 5 s" counts from. */
  parser(now?: () => Date): CliStreamParser;
}
