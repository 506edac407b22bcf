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
export function runSignals(event: RunEvent, { taskId, taskTitle, attemptId }: RunSource): Signal[] {
  const timestamp = event.at;
  const log = (stream: "stdout" | "stderr", line: string): Signal => ({
    signal: "task:log",
    data: { taskId, attemptId, stream, line, timestamp },
  });
  switch (event.type) {
    case "state":
      return [log("stdout", `● ${event.from} → ${event.to}`)];
    case "meta": {
      const state = event.phase === "completed" ? "IDLE" : META_STATE[event.call];
      const detail = `${event.call} · ${event.provider}${event.model ? ` ${event.model}` : ""}${event.message ? ` · ${event.message}` : ""}`;
      return [
        { signal: "process:metaUpdate", data: { taskId, taskTitle, state, detail, timestamp } },
      ];
    }
    case "container": {
      const status = CONTAINER_STATUS[event.phase];
      return [
        {
          signal: "process:containerUpdate",
          data: {
            taskId,
            containerId: event.containerId ?? "",
            status,
            image: event.image,
            timestamp,
          },
        },
      ];
    }
    case "worker": {
      const status =
        event.phase === "started" ? "RUNNING" : event.exitCode === 0 ? "IDLE" : "ERROR";
      const data = {
        taskId,
        workerId: event.runId,
        status,
        command: `${event.tool} ${event.model}`.trim(),
        exitCode: event.exitCode ?? null,
        artifacts: event.files ?? [],
        timestamp,
      } as const;
      return [
        { signal: "process:workerUpdate", data: { ...data, artifacts: [...data.artifacts] } },
      ];
    }
    case "worker_event":
      return [log(event.kind === "error" ? "stderr" : "stdout", workerLine(event))];
    case "output":
      return [log(event.stream, event.line)];
    case "test":
      return [
        log(
          event.exitCode === 0 ? "stdout" : "stderr",
          `✓ ${event.command} → ${event.exitCode}`.replace("✓", event.exitCode === 0 ? "✓" : "✕"),
        ),
      ];
    case "log":
      return event.level === "warn" || event.level === "error"
        ? [log("stderr", event.message)]
        : [];
    case "criteria":
    case "finished":
      return [];
  }
}

function workerLine({ kind, text }: { kind: string; text: string }): string {
  switch (kind) {
    case "command":
      return `$ ${text}`;
    case "file_change":
      return `✎ ${text}`;
    case "reasoning":
      return `… ${text}`;
    default:
      return text;
  }
}
