import { unfolding } from "@multiverse/protocol/apply/apply";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import { refuse } from "./refuse.ts";

/**
 * A plan being changed: each operation sees what the earlier ones did. What will give the facts their meaning runs here on
 * a scratch state, so that a decision and its outcome cannot differ.
 */
export interface PlanDraft {
  readonly facts: readonly NewFact[];
  /** Changes with every `add`. */
  readonly state: WorkspaceState;
  add(...facts: NewFact[]): void;
  /** The node, or a refusal that names the id as it was given. */
  node(id: string): PlanNode;
}

export function draftPlan(before: WorkspaceState, at: string): PlanDraft {
  const facts: NewFact[] = [];
  const scratch = unfolding(before);
  const stamp = (fact: NewFact): Fact => ({
    by: "",
    ...fact,
    v: 1,
    seq: before.seq,
    id: "",
    at,
    workspaceId: before.workspace?.id ?? "",
    tx: "",
    i: 0,
    n: 1,
  });
  return {
    facts,
    state: scratch.state,
    add(...more) {
      for (const fact of more) {
        facts.push(fact);
        scratch.add(stamp(fact));
      }
    },
    node(id) {
      const node = scratch.state.nodes.get(id);
      if (!node) throw refuse(`there is no task ${JSON.stringify(id)} in the plan`);
      if (id === ROOT_ID) throw refuse("the root of the plan cannot be changed");
      return node;
    },
  };
}
