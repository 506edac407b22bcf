import type { Logger } from "@multiverse/agents/log";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { ResolvedTask } from "../task-file/resolve-task.ts";

/** The log points of the sandbox: containers started and stopped, commands run in them. */
export function logSandbox(parent: Logger, { repoPath, worker }: ResolvedTask) {
  const log = parent.withComponent("worker");
  let container = "";
  return {
    see(event: RunEventBody): void {
      if (event.type !== "container") return;
      const { phase, image, containerId, durationMs } = event;
      if (phase === "starting") log.info("starting container", { image, repo_path: repoPath });
      if (phase === "started") {
        container = containerId ?? "";
        log.info("container started", { container_id: container, duration_ms: durationMs });
      }
      if (phase === "stopped") {
        log.info("container stopped", {
          container_id: containerId ?? container,
          duration_ms: durationMs,
        });
      }
    },
    running({ prompt }: WorkerCall): void {
      log.info("executing worker command", {
        container_id: container,
        prompt_length: prompt.length,
        timeout_sec: worker.maxRunTimeSec,
      });
    },
  };
}
