import { untrack } from "svelte";
import type { Ide } from "../../ide.svelte.ts";
import { flowEdges, flowNodes, planItems } from "./flow-elements.ts";
import { layoutPlan, type PlanItem, type PlanLayout } from "./plan-layout.ts";

const empty: PlanLayout = { places: new Map(), groups: [], width: 0, height: 0 };

/** The graph's geometry. It is laid out anew only when the structure of the plan changed, seeded with the old places. */
export class Graph {
  readonly #ide: Ide;
  #items: readonly PlanItem[] = [];
  #layout: PlanLayout = empty;
  #grouping = "";

  readonly #structure = $derived.by(() => this.#ide.workspace.plan.structure);
  readonly layout: PlanLayout = $derived.by(() => {
    void this.#structure;
    return this.#next(this.#ide.grouping);
  });
  readonly nodes = $derived.by(() => flowNodes(this.layout));
  readonly edges = $derived.by(() => flowEdges(this.#items, this.layout));

  constructor(ide: Ide) {
    this.#ide = ide;
  }

  #next(grouping: Ide["grouping"]): PlanLayout {
    const cards = untrack(() => this.#ide.workspace.plan.cards);
    const seeded = this.#grouping === grouping && this.#items.length > 0;
    this.#grouping = grouping;
    this.#items = planItems(cards.values(), grouping);
    this.#layout = layoutPlan(this.#items, seeded ? this.#layout.places : undefined);
    return this.#layout;
  }
}
