import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { expect, test } from "vitest";
import { after, create, emptyPlan } from "../testing/states.ts";

const files = (...filePaths: string[]) => ({ language: "", filePaths, constraints: [] });
type Update = Omit<Extract<PlanOperation, { op: "update" }>, "op" | "taskId">;
type Create = Parameters<typeof create>[1];

/** Work type, domain and level of a task that was made so and then updated so. */
function facets(made: Create, update: Update): [string, string, number] {
  const state = after(emptyPlan, create("Login", made), {
    op: "update",
    taskId: "task-0001",
    ...update,
  });
  const { workType, domain, wbsLevel } = state.nodes.get("task-0001")!;
  return [workType, domain, wbsLevel];
}

test.each<[string, Create, Update, [string, string, number]]>([
  ["a new phase", { phaseName: "実装" }, { phaseName: "検証" }, ["test", "", 3]],
  ["a new phase", { phaseName: "実装" }, { phaseName: "概念設計" }, ["spec", "", 1]],
  ["a new title", {}, { title: "Tests for the login" }, ["test", "", 3]],
  [
    "a description",
    { phaseName: "Concept" },
    { description: "Write a document." },
    ["docs", "", 1],
  ],
  [
    "other files",
    { suggestedImpl: files("src/a/x.ts") },
    { suggestedImpl: files("src/b/x.ts") },
    ["", "b", 0],
  ],
  [
    "a choice taken back",
    { phaseName: "実装", workType: "research" },
    { workType: "" },
    ["implementation", "", 3],
  ],
])("what was inferred follows %s", (_, made, update, expected) => {
  expect(facets(made, update)).toEqual(expected);
});

test.each<[string, Create, Update, [string, string, number]]>([
  [
    "chosen when the task was made",
    {
      phaseName: "実装",
      workType: "research",
      domain: "auth",
      suggestedImpl: files("src/a/x.ts"),
      wbsLevel: 2,
    },
    { phaseName: "検証", title: "Tests", suggestedImpl: files("src/b/x.ts") },
    ["research", "auth", 2],
  ],
  [
    "chosen by the update",
    { phaseName: "実装" },
    { phaseName: "検証", workType: "review", domain: "auth", wbsLevel: 1 },
    ["review", "auth", 1],
  ],
])("what was %s stays", (_, made, update, expected) => {
  expect(facets(made, update)).toEqual(expected);
});
