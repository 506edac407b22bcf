import { Position, type Edge, type Node } from "@xyflow/svelte";
import type { Card } from "../../workspace/card.ts";
import { valuesOf, type Grouping } from "../facets/filter.ts";
import { EdgeRoutes, type Stretch } from "./edge-route.ts";
import { CARD, type GroupBox, type PlanItem, type PlanLayout } from "./plan-layout.ts";

export type TaskFlowNode = Node<Record<string, never>, "task">;
export type GroupFlowNode = Node<{ name: string }, "group-box">;
export type FlowNode = TaskFlowNode | GroupFlowNode;

/** What the layout depends on; a change of status is not among it. */
export const planItems = (cards: Iterable<Card>, grouping: Grouping): PlanItem[] =>
  [...cards].map((card) => ({
    id: card.id,
    // Statuses change all the time: cards that jump with them could not be followed.
    group: grouping === "plan" || grouping === "status" ? "" : (valuesOf(card, grouping)[0] ?? ""),
    after: card.dependencies,
  }));

/** Size, measure and handles are given, so that cards out of view are never rendered, not even once to be measured. */
const HANDLES = [
  {
    type: "target" as const,
    position: Position.Left,
    x: 0,
    y: CARD.height / 2,
    width: 1,
    height: 1,
  },
  {
    type: "source" as const,
    position: Position.Right,
    x: CARD.width - 1,
    y: CARD.height / 2,
    width: 1,
    height: 1,
  },
];

export function flowNodes(layout: PlanLayout): FlowNode[] {
  const nodes: FlowNode[] = layout.groups.map(groupNode);
  for (const [id, position] of layout.places)
    nodes.push({
      id,
      type: "task",
      position,
      data: {},
      width: CARD.width,
      height: CARD.height,
      measured: { ...CARD },
      handles: HANDLES,
      ariaRole: "group",
      zIndex: 2,
    });
  return nodes;
}

const groupNode = ({ name, x, y, width, height }: GroupBox): GroupFlowNode => ({
  id: `group ${name}`,
  type: "group-box",
  position: { x, y },
  data: { name },
  width,
  height,
  measured: { width, height },
  handles: [],
  selectable: false,
  ariaRole: "presentation",
  zIndex: 0,
});

export type FlowEdge = Edge<{ stretches: readonly Stretch[] }, "flow">;

export function flowEdges(items: readonly PlanItem[], { places }: PlanLayout): FlowEdge[] {
  const routes = new EdgeRoutes(places);
  return items.flatMap(({ id, after }) =>
    after
      .filter((from) => places.has(from))
      .map((from) => ({
        id: `${from} ${id}`,
        source: from,
        target: id,
        type: "flow",
        data: { stretches: routes.between(from, id) },
        zIndex: 1,
      })),
  );
}
