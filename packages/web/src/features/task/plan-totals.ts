import type { WorkspaceState } from "@multiverse/protocol/state";

/** What a plan came to, over all its tasks. */
export interface PlanTotals {
  readonly criteriaPassed: number;
  readonly criteriaTotal: number;
  readonly files: number;
  /** From the first start to the last end, in milliseconds. */
  readonly tookMs: number | null;
  readonly usd: number | null;
}

export function planTotals(state: WorkspaceState): PlanTotals {
  const files = new Set<string>();
  let criteriaPassed = 0;
  let criteriaTotal = 0;
  let usd: number | null = null;
  let first = Infinity;
  let last = -Infinity;
  for (const { outcome, usage, startedAt, finishedAt } of state.tasks.values()) {
    for (const { passed } of outcome?.criteria ?? []) {
      criteriaTotal += 1;
      if (passed) criteriaPassed += 1;
    }
    for (const path of outcome?.files ?? []) files.add(path);
    if (usage.usd !== null) usd = (usd ?? 0) + usage.usd;
    if (startedAt) first = Math.min(first, Date.parse(startedAt));
    if (finishedAt) last = Math.max(last, Date.parse(finishedAt));
  }
  const tookMs = last >= first ? last - first : null;
  return { criteriaPassed, criteriaTotal, files: files.size, tookMs, usd };
}
