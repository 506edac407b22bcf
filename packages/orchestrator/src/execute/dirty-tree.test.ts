import { afterEach, expect, test } from "vitest";
import { openFixture, type Fixture, type FixtureOptions } from "../testing/fixture.ts";
import { create } from "../testing/states.ts";

let open: Fixture | undefined;
afterEach(() => open?.close());

const run = async (options: FixtureOptions, say = "make it"): Promise<Fixture> => {
  open = await openFixture({
    ...options,
    plan: () => ({
      understanding: "",
      operations: [create("a"), create("b")],
      potentialConflicts: [],
      questions: [],
    }),
  });
  await open.orchestrator.sendMessage("s1", say);
  await open.until("all done", ({ tasks }) =>
    [...tasks.values(), { progress: tasks.size === 2 ? "succeeded" : "" }].every(
      ({ progress }) => progress === "succeeded",
    ),
  );
  return open;
};
const warnings = ({ workspace }: Fixture): string[] =>
  [...workspace.state.sessions.values()]
    .flatMap(({ messages }) => messages)
    .filter(({ content }) => content.startsWith("⚠"))
    .map(({ content }) => content);

test("changes that are not committed are told once, before the first attempt, in the person's language", async () => {
  const fixture = await run({ uncommitted: ["src/a.ts", "README.md"] });
  expect(warnings(fixture)).toEqual([expect.stringContaining("(2): src/a.ts, README.md. The")]);
  const kinds = (await fixture.workspace.readFacts({ after: 0, limit: 100 })).map(
    ({ kind }) => kind,
  );
  expect(kinds.lastIndexOf("chat.message")).toBeLessThan(kinds.indexOf("attempt.started"));
});

test("in Japanese to whom wrote Japanese, and not every file of many by name", async () => {
  const files = Array.from({ length: 40 }, (_, i) => `f${i}`);
  expect(warnings(await run({ uncommitted: files }, "作って"))).toEqual([
    expect.stringMatching(/40 件）: f0, f1, f2, f3, f4, …/),
  ]);
});

test("a clean tree, or none, is not worth a word", async () => {
  expect(warnings(await run({ uncommitted: [] }))).toEqual([]);
  await open?.close();
  expect(warnings(await run({}))).toEqual([]);
});

test("without a conversation it is said in a new one", async () => {
  open = await openFixture({ uncommitted: ["a"] });
  await open.orchestrator.changePlan([create("by hand")]);
  await open.orchestrator.setExecution("start");
  await open.until("it is done", ({ tasks }) => tasks.get("task-0001")?.progress === "succeeded");
  expect(warnings(open)).toHaveLength(1);
});
