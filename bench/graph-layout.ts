import { EdgeRoutes } from "@multiverse/web/features/graph/edge-route";
import { layoutPlan, type PlanItem } from "@multiverse/web/features/graph/plan-layout";
import { atMost, type Row } from "./row.ts";
import { median } from "./stats.ts";

/** A plan in which every task waits for three of the last sixty. */
const tangled = (count: number): PlanItem[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `t${i}`,
    group: "",
    after: i === 0 ? [] : [1, 2, 3].map((k) => `t${Math.max(0, i - 1 - ((i * 7 * k) % 60))}`),
  }));

/** What the page's main thread does when a large plan changes: places for the cards and ways for the edges. */
export function layoutRows(): Row[] {
  const items = tangled(5_000);
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage().user;
    const routes = new EdgeRoutes(layoutPlan(items).places);
    for (const { id, after } of items) for (const other of after) routes.between(other, id);
    return (process.cpuUsage().user - before) / 1_000;
  });
  return [atMost("graph, 5,000 tangled tasks: layout, processor time", median(times), "ms", 50)];
}
