import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Card } from "../../workspace/card.ts";
import type { PlanView } from "../../workspace/plan-view.ts";
import { valuesOf, type Grouping } from "../facets/filter.ts";

/** The plan as a tree: groups by facet, then nodes with their children. */
export interface TreeItem {
  readonly key: string;
  readonly kind: "group" | "node";
  readonly label: string;
  /** The facet values a task gets when it is dropped on this group. */
  readonly facets: { readonly milestone?: string; readonly phaseName?: string };
  readonly card: Card | null;
  readonly nodeId: string | null;
  readonly children: readonly TreeItem[];
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

export interface TreeRow {
  readonly item: TreeItem;
  readonly depth: number;
  readonly expanded: boolean;
  readonly parentKey: string | null;
  readonly position: number;
  readonly siblings: number;
}

type Shown = ReadonlySet<string> | null;

export function buildTree(
  state: WorkspaceState,
  plan: PlanView,
  grouping: Grouping,
  shown: Shown,
): TreeItem[] {
  const top = state.nodes.get(ROOT_ID)?.children ?? [];
  const nodes = top.flatMap((id) => nodeItem(state, plan, id, shown) ?? []);
  switch (grouping) {
    case "plan":
      return nodes;
    case "milestone":
      return grouped(nodes, "milestone", (item) => item.card?.milestone ?? "").map((group) =>
        group.kind === "group" ? withPhases(group) : group,
      );
    case "phaseName":
      return grouped(nodes, "phaseName", (item) => item.card?.phaseName ?? "");
    case "workType":
    case "domain":
    case "status": {
      const flat = [...plan.cards.values()]
        .filter((card) => !shown || shown.has(card.id))
        .map(leaf);
      return grouped(flat, null, (item) => (item.card && valuesOf(item.card, grouping)[0]) ?? "");
    }
  }
}

function withPhases(group: TreeItem): TreeItem {
  const phases = grouped(group.children, "phaseName", (item) => item.card?.phaseName ?? "").map(
    (phase) => ({
      ...phase,
      key: `${group.key}/${phase.key}`,
      facets: { ...group.facets, ...phase.facets },
    }),
  );
  const plain = phases.length === 1 && phases[0]?.label === "";
  return plain || phases[0]?.kind === "node" ? group : { ...group, children: phases };
}

/** Items under the value they have in common, in order of first appearance. One nameless group is no group. */
function grouped(
  items: readonly TreeItem[],
  facet: "milestone" | "phaseName" | null,
  valueOf: (item: TreeItem) => string,
): TreeItem[] {
  const groups = new Map<string, TreeItem[]>();
  for (const item of items) {
    const value = valueOf(item);
    const list = groups.get(value);
    if (list) list.push(item);
    else groups.set(value, [item]);
  }
  if (groups.size === 1 && groups.has("")) return [...items];
  return [...groups].map(([value, children]) => ({
    key: `group:${facet ?? ""}:${value}`,
    kind: "group",
    label: value,
    facets: facet ? { [facet]: value } : {},
    card: null,
    nodeId: null,
    children,
    ...sums(children),
  }));
}

const leaf = (card: Card): TreeItem => ({
  key: card.id,
  kind: "node",
  label: card.title,
  facets: {},
  card,
  nodeId: card.nodeId,
  children: [],
  ...own(card),
});

function nodeItem(
  state: WorkspaceState,
  plan: PlanView,
  id: string,
  shown: Shown,
): TreeItem | undefined {
  const node = state.nodes.get(id);
  if (!node) return undefined;
  const card = plan.cards.get(id) ?? null;
  const extra = [...(state.index.extraTasks.get(id) ?? [])].sort();
  const children = [
    ...extra.flatMap((task) => {
      const further = plan.cards.get(task);
      return further && (!shown || shown.has(task)) ? [leaf(further)] : [];
    }),
    ...node.children.flatMap((child) => nodeItem(state, plan, child, shown) ?? []),
  ];
  if (shown && !shown.has(id) && children.length === 0) return undefined;
  const mine = card ? own(card) : { total: 0, done: 0, failed: 0, running: 0 };
  const below = sums(children);
  return {
    key: id,
    kind: "node",
    label: card?.title ?? (node.title || id),
    facets: {},
    card,
    nodeId: id,
    children,
    total: mine.total + below.total,
    done: mine.done + below.done,
    failed: mine.failed + below.failed,
    running: mine.running + below.running,
  };
}

const own = ({ status }: Card) => ({
  total: 1,
  done: status === "SUCCEEDED" || status === "SKIPPED" ? 1 : 0,
  failed: status === "FAILED" ? 1 : 0,
  running: status === "RUNNING" ? 1 : 0,
});

function sums(items: readonly TreeItem[]) {
  const sum = { total: 0, done: 0, failed: 0, running: 0 };
  for (const item of items) {
    sum.total += item.total;
    sum.done += item.done;
    sum.failed += item.failed;
    sum.running += item.running;
  }
  return sum;
}

/** The rows in view when some branches are closed. */
export function visibleRows(items: readonly TreeItem[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (list: readonly TreeItem[], depth: number, parentKey: string | null) => {
    list.forEach((item, i) => {
      const expanded = !closed.has(item.key);
      rows.push({ item, depth, expanded, parentKey, position: i + 1, siblings: list.length });
      if (expanded) add(item.children, depth + 1, item.key);
    });
  };
  add(items, 0, null);
  return rows;
}
