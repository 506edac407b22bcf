import type { Card } from "../../workspace/card.ts";
import type { PlanView } from "../../workspace/plan-view.ts";

/** What plans are filtered by; the same filter holds for the graph and the tree, and stands in the URL. */
export const FACETS = ["milestone", "phaseName", "workType", "domain", "status", "tags"] as const;
export type Facet = (typeof FACETS)[number];
export const GROUPINGS = [
  "milestone",
  "phaseName",
  "workType",
  "domain",
  "status",
  "plan",
] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Filter {
  readonly text: string;
  readonly facets: Readonly<Partial<Record<Facet, readonly string[]>>>;
}
export const noFilter: Filter = { text: "", facets: {} };

export function valuesOf(card: Card, facet: Facet): readonly string[] {
  switch (facet) {
    case "tags":
      return card.tags;
    case "status":
      return [card.status];
    case "milestone":
      return [card.milestone];
    case "phaseName":
      return [card.phaseName];
    case "workType":
      return [card.workType];
    case "domain":
      return [card.domain];
  }
}

export const isFiltering = (filter: Filter): boolean =>
  filter.text.trim() !== "" || FACETS.some((facet) => (filter.facets[facet]?.length ?? 0) > 0);

function matches(card: Card, filter: Filter): boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => card.text.includes(word))) return false;
  return FACETS.every((facet) => {
    const wanted = filter.facets[facet];
    return !wanted?.length || valuesOf(card, facet).some((value) => wanted.includes(value));
  });
}

/** The tasks a filter lets through, or null when nothing is filtered. */
export function matching(plan: PlanView, filter: Filter): ReadonlySet<string> | null {
  if (!isFiltering(filter)) return null;
  const ids = new Set<string>();
  for (const card of plan.cards.values()) if (matches(card, filter)) ids.add(card.id);
  return ids;
}

/** The values of a facet with how many tasks have them, in the order of the plan. */
export function countValues(plan: PlanView, facet: Facet): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const card of plan.cards.values())
    for (const value of valuesOf(card, facet))
      if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

export function toggleValue(filter: Filter, facet: Facet, value: string): Filter {
  const now = filter.facets[facet] ?? [];
  const next = now.includes(value) ? now.filter((v) => v !== value) : [...now, value];
  return { ...filter, facets: { ...filter.facets, [facet]: next } };
}

const PARAM: Readonly<Record<Facet, string>> = {
  milestone: "milestone",
  phaseName: "phase",
  workType: "type",
  domain: "domain",
  status: "status",
  tags: "tag",
};

export function writeFilter(filter: Filter, params: URLSearchParams): void {
  if (filter.text.trim()) params.set("q", filter.text.trim());
  else params.delete("q");
  for (const facet of FACETS) {
    params.delete(PARAM[facet]);
    for (const value of filter.facets[facet] ?? []) params.append(PARAM[facet], value);
  }
}

export function readFilter(params: URLSearchParams): Filter {
  const facets: Partial<Record<Facet, readonly string[]>> = {};
  for (const facet of FACETS) {
    const values = params.getAll(PARAM[facet]);
    if (values.length > 0) facets[facet] = values;
  }
  return { text: params.get("q") ?? "", facets };
}
