import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { MultiverseError } from "@multiverse/protocol/error";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { PlanRequest } from "@multiverse/protocol/plan-request";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { emptyPatch, openFixture, type Fixture, type FixtureOptions } from "../testing/fixture.ts";

const open: Fixture[] = [];
async function fixture(options: FixtureOptions): Promise<Fixture> {
  const made = await openFixture(options);
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((f) => f.close()));
});

const task = (title: string): PlanPatch => ({
  ...emptyPatch,
  operations: [{ op: "create", title }],
});
const asks = (text: string): PlanPatch => ({
  ...emptyPatch,
  questions: [{ text, options: [], blocking: true }],
});
const isPaused = (state: WorkspaceState): boolean => state.execution.pausedFor === "question";
const openItem = (state: WorkspaceState): string =>
  [...state.backlog.values()].find((item) => item.resolvedAt === null)?.id ?? "";
const done = (state: WorkspaceState): boolean =>
  state.tasks.size > 0 && [...state.tasks.values()].every((each) => each.progress === "succeeded");

test("an answer is planned with the message that raised the question, whatever was said since", async () => {
  const f = await fixture({
    plan: ({ answers }) => (answers.length > 0 ? task("painted") : asks("Which colour?")),
  });
  await f.orchestrator.sendMessage("s1", "paint it");
  const asked = await f.until("the pause", isPaused);
  await f.orchestrator.sendMessage("s1", "status");
  await f.until("its answer", (s) => (s.sessions.get("s1")?.messages.length ?? 0) === 4);
  await f.orchestrator.resolveBacklog(openItem(asked), "red");
  await f.until("it ran", done);
  expect(f.requests.map(({ userInput }) => userInput)).toEqual(["paint it", "paint it"]);
});

test("a question raised by an answer leads back to the same message", async () => {
  const f = await fixture({
    plan: ({ answers }) => {
      if (answers.length === 0) return asks("Which colour?");
      return answers.length === 1 ? asks("How many coats?") : task("painted");
    },
  });
  await f.orchestrator.sendMessage("s1", "paint it");
  await f.orchestrator.resolveBacklog(openItem(await f.until("the first", isPaused)), "red");
  const second = await f.until("the second", (s) => s.backlog.size === 2);
  await f.orchestrator.resolveBacklog(openItem(second), "two");
  await f.until("it ran", done);
  expect(f.requests.at(-1)).toMatchObject({
    userInput: "paint it",
    answers: [
      { question: "Which colour?", answer: "red" },
      { question: "How many coats?", answer: "two" },
    ],
  });
});

test("an answer that a killed process was planning with is planned with after the restart", async () => {
  const home = await mkdtemp(join(tmpdir(), "mv-answer-"));
  const at = { home, project: join(home, "project") };
  const hangs = (_: PlanRequest, signal: AbortSignal): Promise<PlanPatch> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("gone")));
    });
  const before = await openFixture({
    at,
    plan: (request, signal) =>
      request.answers.length > 0 ? hangs(request, signal) : asks("Which colour?"),
  });
  await before.orchestrator.sendMessage("s1", "paint it");
  const asked = await before.until("the pause", isPaused);
  await before.orchestrator.resolveBacklog(openItem(asked), "red");
  await expect.poll(() => before.requests.length).toBe(2);
  await before.close();

  const after = await openFixture({ at, plan: () => task("painted") });
  try {
    await after.until("it ran", done);
    expect(after.requests).toMatchObject([{ userInput: "paint it", answers: [{ answer: "red" }] }]);
  } finally {
    await after.close();
    await rm(home, { recursive: true, force: true });
  }
});

test("when planning with the answer fails in a workspace that never ran, what is planned already starts", async () => {
  const f = await fixture({
    plan: ({ answers }) => {
      if (answers.length === 0) return { ...task("scrape"), questions: asks("Which?").questions };
      throw new MultiverseError("META_UNAVAILABLE", "The model is down.", { hint: "Wait." });
    },
  });
  await f.orchestrator.sendMessage("s1", "paint it");
  await f.orchestrator.resolveBacklog(openItem(await f.until("the pause", isPaused)), "red");
  const state = await f.until("it ran", done);
  expect(state.sessions.get("s1")?.messages.at(-1)?.content).toContain("The model is down.");
});
