import type { PlanOperation } from "@multiverse/protocol/plan-patch";

/** A plan of this many tasks; `parents` names the places of what a task waits for. */
export const planOf = (
  count: number,
  parents: (place: number) => readonly number[],
): PlanOperation[] =>
  Array.from({ length: count }, (_, place) => ({
    op: "create",
    tempId: `t${place}`,
    title: `Task ${place}`,
    dependencies: parents(place).map((parent) => `t${parent}`),
  }));
