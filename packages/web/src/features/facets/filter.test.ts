import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planState } from "../../testing/plan-fixture.ts";
import { PlanViewer } from "../../workspace/plan-view.ts";
import {
  countValues,
  FACETS,
  matching,
  noFilter,
  readFilter,
  toggleValue,
  writeFilter,
  type Filter,
} from "./filter.ts";

const plan = new PlanViewer().view(
  planState([
    {
      id: "a",
      title: "Write the API",
      milestone: "M1",
      tags: ["http", "core"],
      state: "succeeded",
    },
    { id: "b", title: "Draw the page", milestone: "M2", tags: ["ui"] },
    { id: "c", title: "API docs", milestone: "M2", tags: ["http"] },
  ]),
  0,
);
const ids = (filter: Filter) => [...(matching(plan, filter) ?? ["everything"])];

describe("the filter", () => {
  test("nothing chosen lets everything through", () => {
    expect(matching(plan, noFilter)).toBeNull();
  });

  test("words are all needed, values of one facet are alternatives, facets add up", () => {
    expect(ids({ text: "api", facets: {} })).toEqual(["a", "c"]);
    expect(ids({ text: "api docs", facets: {} })).toEqual(["c"]);
    expect(ids({ text: "", facets: { tags: ["ui", "core"] } })).toEqual(["a", "b"]);
    expect(ids({ text: "", facets: { tags: ["http"], milestone: ["M2"] } })).toEqual(["c"]);
    expect(ids({ text: "", facets: { status: ["SUCCEEDED"] } })).toEqual(["a"]);
  });

  test("values are counted", () => {
    expect(countValues(plan, "tags")).toEqual([
      ["http", 2],
      ["core", 1],
      ["ui", 1],
    ]);
  });

  test("choosing twice is not choosing", () => {
    const once = toggleValue(noFilter, "tags", "ui");
    expect(toggleValue(once, "tags", "ui").facets.tags).toEqual([]);
  });

  test("an address and back is the same filter", () => {
    const values = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 });
    const facets = fc.record(Object.fromEntries(FACETS.map((f) => [f, values])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(fc.string(), facets, (text, chosen) => {
        const params = new URLSearchParams();
        writeFilter({ text, facets: chosen }, params);
        const back = readFilter(new URLSearchParams(params.toString()));
        expect(back).toEqual({ text: text.trim(), facets: { ...chosen } });
      }),
    );
  });
});
