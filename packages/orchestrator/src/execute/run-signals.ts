import type { RunEvent } from "@multiverse/protocol/run-event";
import type { Signal } from "@multiverse/protocol/signal";

export interface RunSource {
  readonly taskId: string;
  readonly taskTitle: string;
  readonly attemptId: string;
}

const META_STATE = {
  plan_task: "PLANNING",
  plan_patch: "PLANNING",
  decompose: "PLANNING",
  build_task: "PLANNING",
  next_action: "THINKING",
  completion_assessment: "OBSERVING",
} as const;
const CONTAINER_STATUS = {
  pulling: "STARTING",
  starting: "STARTING",
  started: "RUNNING",
  stopped: "STOPPED",
} as const;

/** What a watching person sees of a run event. Pure; most events give one signal, some none. */
export function runSignals(event: RunEvent, source: RunSource): Signal[] {
  switch (event.type) {
    case "meta":
      return [metaUpdate(event, source)];
    case "container":
      return [containerUpdate(event, source)];
    case "worker":
      return [workerUpdate(event, source)];
    case "state":
      return [line(event, source, "stdout", `● ${event.from} → ${event.to}`)];
    case "worker_event":
      return [line(event, source, event.kind === "error" ? "stderr" : "stdout", workerLine(event))];
    case "output":
      return [line(event, source, event.stream, event.line)];
    case "test": {
      const passed = event.exitCode === 0;
      const text = `${passed ? "✓" : "✕"} ${event.command} → ${event.exitCode}`;
      return [line(event, source, passed ? "stdout" : "stderr", text)];
    }
    case "log":
      return event.level === "warn" || event.level === "error"
        ? [line(event, source, "stderr", event.message)]
        : [];
    case "criteria":
    case "finished":
      return [];
  }
}

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

const line = (
  { at: timestamp }: RunEvent,
  { taskId, attemptId }: RunSource,
  stream: "stdout" | "stderr",
  text: string,
): Signal => ({
  signal: "task:log",
  data: { taskId, attemptId, stream, line: text, timestamp },
});

function metaUpdate(event: EventOf<"meta">, { taskId, taskTitle }: RunSource): Signal {
  const state = event.phase === "completed" ? "IDLE" : META_STATE[event.call];
  const detail = [event.call, `${event.provider} ${event.model}`.trim(), event.message]
    .filter(Boolean)
    .join(" · ");
  return {
    signal: "process:metaUpdate",
    data: { taskId, taskTitle, state, detail, timestamp: event.at },
  };
}

function containerUpdate(event: EventOf<"container">, { taskId }: RunSource): Signal {
  const { image, containerId = "", at: timestamp } = event;
  const status = CONTAINER_STATUS[event.phase];
  return {
    signal: "process:containerUpdate",
    data: { taskId, containerId, status, image, timestamp },
  };
}

function workerUpdate(event: EventOf<"worker">, { taskId }: RunSource): Signal {
  const ended = event.exitCode === 0 ? "IDLE" : "ERROR";
  return {
    signal: "process:workerUpdate",
    data: {
      taskId,
      workerId: event.runId,
      status: event.phase === "started" ? "RUNNING" : ended,
      command: `${event.tool} ${event.model}`.trim(),
      exitCode: event.exitCode ?? null,
      artifacts: [...(event.files ?? [])],
      timestamp: event.at,
    },
  };
}

function workerLine({ kind, text }: EventOf<"worker_event">): string {
  switch (kind) {
    case "command":
      return `$ ${text}`;
    case "file_change":
      return `✎ ${text}`;
    case "reasoning":
      return `… ${text}`;
    case "message":
    case "error":
      return text;
  }
}
