import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { Task } from "@multiverse/protocol/task";

/** How long a task is thought to take. Units are seconds once something was measured, else small/medium/large = 1/3/8. */
export type Weigh = (task: Task, node: PlanNode) => number;

const EFFORT = { small: 1, medium: 3, large: 8 } as const;
const SAMPLES = 31;

/** Medians of finished tasks of the same kind and effort; what was never seen is guessed from what was. */
export interface LearnedDurations {
  learn(task: Task, node: PlanNode, seconds: number): void;
  readonly weigh: Weigh;
  /** How many durations were learned: a reader can tell whether its ranks are stale. */
  readonly count: number;
}

export function learnDurations(): LearnedDurations {
  const samples = new Map<string, number[]>();
  let count = 0;
  const effort = (node: PlanNode) => EFFORT[node.effort ?? "medium"];
  const key = (task: Task, node: PlanNode) => `${task.kind}:${node.effort ?? "medium"}`;
  const keep = (name: string, value: number) => {
    const list = samples.get(name) ?? [];
    samples.set(name, [...list.slice(1 - SAMPLES), value]);
  };
  return {
    learn(task, node, seconds) {
      count += 1;
      keep(key(task, node), seconds);
      keep("unit", seconds / effort(node));
    },
    weigh(task, node) {
      const seen = samples.get(key(task, node));
      if (seen) return median(seen);
      return effort(node) * median(samples.get("unit") ?? [1]);
    },
    get count() {
      return count;
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}
