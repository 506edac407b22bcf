import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Card } from "../../workspace/card.ts";
import type { PlanView } from "../../workspace/plan-view.ts";
import { valuesOf, type Grouping } from "../facets/filter.ts";

/**
 * The plan as a tree: groups by facet, then nodes with their children. It says where things stand, not how they are
 * doing: a change of status or title leaves it as it is.
 */
export interface TreeItem {
  readonly key: string;
  readonly kind: "group" | "node";
  /** The group's value, or the node's title for want of a task. */
  readonly label: string;
  /** The facet values a task gets when it is dropped on this group. */
  readonly facets: { readonly milestone?: string; readonly phaseName?: string };
  readonly taskId: string | null;
  readonly nodeId: string | null;
  readonly children: readonly TreeItem[];
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

type Cards = PlanView["cards"];

export function buildTree(
  state: WorkspaceState,
  cards: Cards,
  grouping: Grouping,
  shown: Shown,
): TreeItem[] {
  const top = state.nodes.get(ROOT_ID)?.children ?? [];
  const cardOf = (item: TreeItem) => (item.taskId === null ? undefined : cards.get(item.taskId));
  switch (grouping) {
    case "plan":
    case "milestone":
    case "phaseName": {
      const nodes = top.flatMap((id) => nodeItem(state, cards, id, shown) ?? []);
      const phase = (item: TreeItem) => cardOf(item)?.phaseName ?? "";
      if (grouping === "plan") return nodes;
      if (grouping === "phaseName") return grouped(nodes, "phaseName", phase);
      return grouped(nodes, "milestone", (item) => cardOf(item)?.milestone ?? "").map((group) =>
        group.kind === "group" ? withPhases(group, phase) : group,
      );
    }
    case "workType":
    case "domain":
    case "status": {
      const flat = [...cards.values()].filter((card) => !shown || shown.has(card.id)).map(leaf);
      return grouped(flat, null, (item) => {
        const card = cardOf(item);
        return (card && valuesOf(card, grouping)[0]) ?? "";
      });
    }
  }
}

function withPhases(group: TreeItem, phaseOf: (item: TreeItem) => string): TreeItem {
  const phases = grouped(group.children, "phaseName", phaseOf).map((phase) => ({
    ...phase,
    key: `${group.key}/${phase.key}`,
    facets: { ...group.facets, ...phase.facets },
  }));
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
    taskId: null,
    nodeId: null,
    children,
  }));
}

const leaf = (card: Card): TreeItem => ({
  key: card.id,
  kind: "node",
  label: card.title,
  facets: {},
  taskId: card.id,
  nodeId: card.nodeId,
  children: [],
});

function nodeItem(
  state: WorkspaceState,
  cards: Cards,
  id: string,
  shown: Shown,
): TreeItem | undefined {
  const node = state.nodes.get(id);
  if (!node) return undefined;
  const extra = [...(state.index.extraTasks.get(id) ?? [])].sort();
  const children = [
    ...extra.flatMap((task) => {
      const further = cards.get(task);
      return further && (!shown || shown.has(task)) ? [leaf(further)] : [];
    }),
    ...node.children.flatMap((child) => nodeItem(state, cards, child, shown) ?? []),
  ];
  if (shown && !shown.has(id) && children.length === 0) return undefined;
  return {
    key: id,
    kind: "node",
    label: node.title || id,
    facets: {},
    taskId: cards.has(id) ? id : null,
    nodeId: id,
    children,
  };
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
