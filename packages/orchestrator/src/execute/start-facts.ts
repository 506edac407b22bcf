import type { NewId } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { nodeStatus } from "./finish.ts";
import type { Start } from "./schedule.ts";

/** An attempt is recorded before its process exists, so that a crash in between is seen as a lost attempt. Pure. */
export function startFacts(
  state: WorkspaceState,
  starts: readonly Start[],
  at: string,
  tool: (start: Start) => string,
  newId: NewId,
): NewFact[] {
  return starts.flatMap((start): NewFact[] => {
    const { task, agentId } = start;
    const id = newId("att");
    return [
      {
        kind: "attempt.started",
        payload: {
          attempt: {
            id,
            taskId: task.id,
            number: task.startCount + 1,
            epoch: state.epoch,
            poolId: task.poolId,
            agentId,
            tool: tool(start),
            model: "",
            traceId: newId("trace"),
            startedAt: at,
          },
        },
      },
      { kind: "task.started", payload: { taskId: task.id, attemptId: id } },
      nodeStatus(state, task, "in_progress"),
    ];
  });
}
