import type { Card } from "../../workspace/card.ts";
import type { PlanView } from "../../workspace/plan-view.ts";

const WEIGHT = { small: 1, medium: 3, large: 8 } as const;
const weightOf = (card: Card): number => (card.effort ? WEIGHT[card.effort] : 3);

/**
 * Minutes until the plan is through, from how long finished work took per unit of effort and how many tasks run at a
 * time; null while nothing has finished yet or nothing is left. Never shorter than the longest chain of open tasks.
 */
export function estimateMs(plan: PlanView, criticalWeight: number): number | null {
  const rates: number[] = [];
  let open = 0;
  for (const card of plan.cards.values()) {
    if (card.status === "SUCCEEDED" && card.startedAt && card.finishedAt)
      rates.push((Date.parse(card.finishedAt) - Date.parse(card.startedAt)) / weightOf(card));
    else if (card.status !== "SKIPPED" && card.status !== "CANCELED") open += weightOf(card);
  }
  if (rates.length === 0 || open === 0) return null;
  rates.sort((a, b) => a - b);
  const rate = rates[Math.floor(rates.length / 2)] ?? 0;
  const parallel = Math.max(1, plan.counts.RUNNING);
  return Math.max(open / parallel, criticalWeight) * rate;
}
