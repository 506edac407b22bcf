import { noUsage } from "@multiverse/protocol/usage";
import { DemoEvent } from "../demo/demo-event.ts";
import { DEMO_WORKER_FLAG, demoSettings } from "../demo/demo-settings.ts";
import type { ExecPlan, OutputLine } from "../sandbox/sandbox.ts";
import type {
  AgentCli,
  CliFailure,
  CliOutcome,
  CliRequest,
  CliStreamParser,
  WorkerStreamEvent,
} from "./agent-cli.ts";
import { jsonLine } from "./json-line.ts";
import { versionPlan } from "./version-plan.ts";

/**
 * The demo agent as a coding CLI: agent-runner itself under a flag, so that it needs nothing installed. `cliPath` is the
 * program that knows the flag; without one it is the program that is running now.
 */
function plan(request: CliRequest): ExecPlan {
  const fromEnv = demoSettings(request.env);
  const script = text(request.toolSpecific["script"]) || fromEnv.scriptPath;
  const delay = text(request.toolSpecific["delay"]) || String(fromEnv.delayFactor);
  return {
    command: process.execPath,
    args: [
      ...(program(request.cliPath) ?? []),
      DEMO_WORKER_FLAG,
      "--delay",
      delay,
      ...(script ? ["--script", script] : []),
    ],
    env: { ...request.env },
    workdir: request.workdir,
    stdin: request.prompt,
    timeoutSec: request.timeoutSec,
    idleTimeoutSec: request.idleTimeoutSec,
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function program(cliPath: string | null): string[] | null {
  const path = cliPath ?? process.argv[1];
  return path === undefined ? null : [path];
}

function parser(): CliStreamParser {
  let result: Extract<DemoEvent, { type: "result" }> | null = null;
  let sessionId: string | null = null;
  let lastLine = "";
  const files = new Set<string>();
  return {
    feed({ stream, line }: OutputLine): WorkerStreamEvent[] {
      const event = stream === "stdout" ? DemoEvent.safeParse(jsonLine(line)).data : undefined;
      if (event === undefined) {
        if (line.trim() !== "") lastLine = line.trim().slice(0, 500);
        return [];
      }
      if (event.type === "result") result = event;
      if (event.type === "session") sessionId = event.id;
      if (event.type === "file_change") files.add(event.path);
      return streamEvents(event);
    },
    end(exitCode): CliOutcome {
      const failure = failureOf(result, exitCode, lastLine);
      return {
        succeeded: failure === null,
        summary: result?.summary ?? failure?.message ?? "",
        files: [...files].sort(),
        usage: noUsage,
        sessionId,
        failure,
        structured: null,
      };
    },
  };
}

function streamEvents(event: DemoEvent): WorkerStreamEvent[] {
  switch (event.type) {
    case "message":
    case "reasoning":
      return [{ kind: event.type, text: event.text }];
    case "command":
      return [
        {
          kind: "command",
          text: `${event.command}\n${event.output}`.trimEnd(),
          exitCode: event.exit_code,
        },
      ];
    case "file_change":
      return [{ kind: "file_change", text: `${event.change} ${event.path}`, path: event.path }];
    case "result":
      return event.ok ? [] : [{ kind: "error", text: event.summary }];
    case "session":
      return [];
  }
}

function failureOf(
  result: Extract<DemoEvent, { type: "result" }> | null,
  exitCode: number | null,
  lastLine: string,
): CliFailure | null {
  const code = exitCode === null ? "no exit code" : `exit code ${exitCode}`;
  if (result === null) {
    const message = `ended without its final event (${code})${lastLine ? `: ${lastLine}` : ""}`;
    return { kind: "aborted", message, retryAt: null };
  }
  if (!result.ok)
    return {
      kind: result.failure ?? "other",
      message: result.summary,
      retryAt: result.retry_at ?? null,
    };
  return exitCode === 0 ? null : { kind: "other", message: `ended with ${code}`, retryAt: null };
}

export const mock: AgentCli = {
  kind: "mock",
  command: process.execPath,
  image: "",
  defaultModel: "",
  shortModels: {},
  models: [],
  login: { env: [], files: [], rename: {}, hint: "The demo agent needs no login." },
  usageIsCumulative: false,
  plan,
  versionPlan: () => versionPlan(process.execPath),
  homeFiles: () => ({}),
  parser,
};
