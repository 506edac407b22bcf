import type { RunEventBody } from "@multiverse/protocol/run-event";

/**
 * A worker that falls back to another CLI completes several times within one call. All but the last are reported as they
 * are; the last is left to the runner, which knows what really changed.
 */
export function leaveOutLastCompleted(
  emit: (event: RunEventBody) => void,
): (event: RunEventBody) => void {
  let held: RunEventBody | null = null;
  return (event) => {
    if (event.type === "worker" && event.phase === "completed") {
      held = event;
      return;
    }
    if (event.type === "worker" && held) emit(held);
    if (event.type === "worker") held = null;
    emit(event);
  };
}
