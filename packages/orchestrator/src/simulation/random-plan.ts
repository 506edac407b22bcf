import type { Random } from "@multiverse/protocol/clock";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { below } from "../store/simulation/random.ts";

export const pick = <T>(random: Random, from: readonly T[]): T | undefined =>
  from[below(random, Math.max(1, from.length))];

/** Up to 14 tasks, each depending on some earlier ones. */
export function randomPlan(random: Random): PlanOperation[] {
  const count = 1 + below(random, 14);
  return Array.from({ length: count }, (_, i): PlanOperation => {
    const earlier = Array.from({ length: i }, (__, k) => `t${k}`);
    const dependencies = earlier.filter(() => random() < 2 / (i + 1));
    return { op: "create", tempId: `t${i}`, title: `t${i}`, dependencies };
  });
}

/** Something a person might change while the plan runs. */
export function randomChange(random: Random, state: WorkspaceState): PlanOperation {
  const ids = [...state.tasks.keys()].sort();
  const running = [...state.index.running].sort();
  const taskId = pick(random, random() < 0.7 && running.length > 0 ? running : ids);
  const chance = random();
  if (taskId === undefined || chance < 0.3)
    return { op: "create", title: "more", dependencies: taskId === undefined ? [] : [taskId] };
  if (chance < 0.5) return { op: "update", taskId, title: "renamed" };
  if (chance < 0.6) return { op: "update", taskId, dependencies: [] };
  return { op: "delete", taskId, cascade: random() < 0.5 };
}
