import type { Ide } from "../../ide.svelte.ts";
import { flowEdges, flowNodes, planItems, sameItems } from "./flow-elements.ts";
import { layoutPlan, type PlanItem, type PlanLayout } from "./plan-layout.ts";

const empty: PlanLayout = { places: new Map(), groups: [], width: 0, height: 0 };

/** The graph's geometry. It is laid out anew only when the structure of the plan changed, seeded with the old places. */
export class Graph {
  readonly #ide: Ide;
  #items: readonly PlanItem[] = [];
  #layout: PlanLayout = empty;
  #nodes: Ide["workspace"]["view"]["nodes"] | null = null;
  #grouping = "";
  #count = -1;

  /** Same object as long as the structure is the same. */
  readonly layout: PlanLayout = $derived.by(() => this.#next());
  readonly nodes = $derived.by(() => flowNodes(this.layout));
  readonly edges = $derived.by(() => (void this.layout, flowEdges(this.#items)));

  constructor(ide: Ide) {
    this.#ide = ide;
  }

  #next(): PlanLayout {
    const { view, plan } = this.#ide.workspace;
    const { grouping } = this.#ide;
    const unchanged =
      this.#nodes === view.nodes && this.#count === plan.total && this.#grouping === grouping;
    if (unchanged) return this.#layout;
    const regrouped = this.#grouping !== grouping;
    this.#nodes = view.nodes;
    this.#count = plan.total;
    this.#grouping = grouping;
    const items = planItems(plan.cards.values(), grouping);
    if (sameItems(items, this.#items)) return this.#layout;
    const previous = regrouped || this.#items.length === 0 ? undefined : this.#layout.places;
    this.#items = items;
    this.#layout = layoutPlan(items, previous);
    return this.#layout;
  }
}
