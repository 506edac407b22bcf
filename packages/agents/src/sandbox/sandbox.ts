import type { RunEventOf } from "@multiverse/protocol/run-event";

/** One command to run in a sandbox (or, for a meta-agent, on the host): data first, effect later. */
export interface ExecPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** Extra variables of this run. Secret values may be in here; they never reach argv or a log. */
  readonly env: Readonly<Record<string, string>>;
  /** Inside the sandbox; relative to the project where it does not start with "/". */
  readonly workdir: string;
  readonly stdin: string;
  /** 0 = no limit. */
  readonly timeoutSec: number;
  /** Longest silence allowed; 0 = no limit. */
  readonly idleTimeoutSec: number;
  /** Longest line in bytes, for output that is read as data; absent = the limit for output that is shown. */
  readonly lineLimit?: number;
}

export interface OutputLine {
  readonly stream: "stdout" | "stderr";
  readonly line: string;
}

/** Why a command ended; only `exited` has an exit code that means something. */
export type ExecEnd = "exited" | "timeout" | "idle_timeout" | "canceled" | "oom" | "lost";

export interface ExecResult {
  readonly end: ExecEnd;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Where nothing was exited: what happened, in words for a person. */
  readonly detail?: string;
}

export interface LoginMount {
  /** On the host; a file or a folder, never written to. */
  readonly source: string;
  /** Below the private home inside the sandbox, e.g. `.codex/auth.json`. */
  readonly target: string;
}

/** Where a gateway sends a CLI's calls, and the key it puts in place of the dummy token. Never leaves this process and the gateway. */
export interface GatewayRoute {
  readonly upstream: string;
  readonly key: string;
}

export interface SandboxSpec {
  readonly taskId: string;
  readonly attemptId: string;
  readonly workspaceId: string;
  readonly epoch: number;
  readonly traceId: string;
  readonly repoPath: string;
  readonly image: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly logins: readonly LoginMount[];
  readonly network: "default" | "none" | "allowlist";
  readonly allowHosts: readonly string[];
  readonly gateway: boolean;
  /** What the gateway guards; null = this CLI cannot be given another address. */
  readonly gatewayRoute?: GatewayRoute | null;
  /** Files for the private home besides the logins, path below the home → content. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  readonly memory: string;
  readonly cpus: number;
}

/** As the reason of an abort: what runs has nothing left to tidy up, so it is killed without a grace period. */
export const END_AT_ONCE = new Error("ended at once");

/** A running sandbox: one per task and image. `stop` may be called at any time, more than once. */
export interface SandboxHandle {
  readonly id: string;
  readonly image: string;
  /** Where the project is, seen from inside. */
  readonly projectDir: string;
  /** Address and dummy token of the gateway, where the spec asked for one. */
  readonly gateway?: { readonly baseUrl: string; readonly token: string };
  exec(
    plan: ExecPlan,
    signal: AbortSignal,
    onLine: (line: OutputLine) => void,
  ): Promise<ExecResult>;
  stop(): Promise<void>;
}

/** What a sandbox tells while it starts and works; refused connections come as log events. */
export type SandboxReport = (event: RunEventOf<"container"> | RunEventOf<"log">) => void;

export interface Sandbox {
  readonly kind: "docker" | "local";
  /** Reports pulling, starting, started; throws a MultiverseError that says what to do. */
  start(spec: SandboxSpec, signal: AbortSignal, report: SandboxReport): Promise<SandboxHandle>;
}
