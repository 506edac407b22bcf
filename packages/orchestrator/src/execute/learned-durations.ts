import type { PlanNode } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";

/** How long a task is thought to take. Units are seconds once something was measured, else small/medium/large = 1/3/8. */
export type Weigh = (task: Task, node: PlanNode) => number;

const EFFORT = { small: 1, medium: 3, large: 8 } as const;
/** Enough for a median that follows how work changes. */
const SAMPLES = 31;

/** Medians of finished tasks of the same kind and effort; what was never seen is guessed from what was. */
export class LearnedDurations {
  private readonly samples = new Map<string, number[]>();
  private readonly medians = new Map<string, number>();
  private learned = 0;

  /** How many durations were learned: a reader can tell whether its ranks are stale. */
  get count(): number {
    return this.learned;
  }

  learn(task: Task, node: PlanNode, seconds: number): void {
    this.learned += 1;
    this.keep(keyOf(task, node), seconds);
    this.keep("unit", seconds / effortOf(node));
  }

  readonly weigh: Weigh = (task, node) => {
    const seen = this.medians.get(keyOf(task, node));
    return seen ?? effortOf(node) * (this.medians.get("unit") ?? 1);
  };

  private keep(name: string, value: number): void {
    const samples = [...(this.samples.get(name) ?? []).slice(1 - SAMPLES), value];
    this.samples.set(name, samples);
    this.medians.set(name, median(samples));
  }
}

/** What the attempts in the state have taught already, so that a restart forgets nothing that matters. */
export function learnDurations({ attempts, tasks, nodes }: WorkspaceState): LearnedDurations {
  const durations = new LearnedDurations();
  const finished = [...attempts.values()].filter(({ status }) => status === "SUCCEEDED");
  finished.sort((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? -1 : 1));
  for (const { taskId, startedAt, finishedAt } of finished) {
    const task = tasks.get(taskId);
    const node = task && nodes.get(task.nodeId);
    const seconds = (Date.parse(finishedAt ?? "") - Date.parse(startedAt)) / 1_000;
    // A clock that was set back in between gives a duration nobody can learn from.
    if (task && node && seconds >= 0) durations.learn(task, node, seconds);
  }
  return durations;
}

const effortOf = (node: PlanNode): number => EFFORT[node.effort ?? "medium"];
const keyOf = (task: Task, node: PlanNode): string => `${task.kind}:${node.effort ?? "medium"}`;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}
