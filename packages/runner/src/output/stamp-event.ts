import type { Mask } from "@multiverse/agents/secrets";
import { toSnake } from "@multiverse/protocol/case";
import { fittingLine } from "./fit-event.ts";
import type { RunEventBody } from "@multiverse/protocol/run-event";

export interface EventStamp {
  readonly traceId: string;
  readonly taskId: string;
}

/** An event as it leaves the process: stamped, snake_case, without a secret, one line of JSON. */
export function eventLine(
  event: RunEventBody,
  at: Date,
  { traceId, taskId }: EventStamp,
  mask: Mask,
): string {
  const { type, ...body } = mask.maskDeep(toSnake(event));
  return fittingLine({
    v: 1,
    type,
    at: at.toISOString(),
    trace_id: traceId,
    task_id: taskId,
    ...body,
  });
}
