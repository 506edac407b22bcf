import { z } from "zod";
import type { Fact } from "./fact.ts";

/** A change of the plan in the words people know it by: the titles of what came, changed, moved and went. */
export const PlanChangeTitles = z.object({
  created: z.array(z.string()),
  updated: z.array(z.string()),
  moved: z.array(z.string()),
  deleted: z.array(z.string()),
});
export type PlanChangeTitles = z.output<typeof PlanChangeTitles>;

/** Facts that change what is wanted. */
export const PLAN_KINDS = ["node.created", "node.updated", "node.moved", "node.deleted"] as const;
export type PlanFact = Extract<Fact, { kind: (typeof PLAN_KINDS)[number] }>;

const KINDS: ReadonlySet<string> = new Set(PLAN_KINDS);
export const isPlanFact = (fact: Fact): fact is PlanFact => KINDS.has(fact.kind);

/** The facts of one change in words; `titleOf` knows the nodes as they were before it. */
export function changeTitles(
  facts: readonly PlanFact[],
  titleOf: (nodeId: string) => string,
): PlanChangeTitles {
  const change: PlanChangeTitles = { created: [], updated: [], moved: [], deleted: [] };
  for (const { kind, payload } of facts) {
    switch (kind) {
      case "node.created":
        change.created.push(payload.node.title);
        break;
      case "node.updated":
        change.updated.push(payload.changes.title ?? titleOf(payload.nodeId));
        break;
      case "node.moved":
        change.moved.push(titleOf(payload.nodeId));
        break;
      case "node.deleted":
        change.deleted.push(titleOf(payload.nodeId));
        break;
    }
  }
  return change;
}
