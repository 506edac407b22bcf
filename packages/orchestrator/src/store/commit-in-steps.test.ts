import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DecideInSteps } from "./commit-queue.ts";
import { giveWay } from "./give-way.ts";
import { tempWorkspace, textOf, type TempWorkspace } from "./testing/temp-workspace.ts";
import { chat } from "./testing/test-ports.ts";
import type { Workspace } from "./workspace.ts";

let temp: TempWorkspace;
let workspace: Workspace;
beforeEach(async () => {
  temp = await tempWorkspace();
  workspace = await temp.open();
});
afterEach(async () => {
  await workspace.close();
  await temp.remove();
});

const messages = (): number => workspace.state.sessions.get("chat-1")?.messageCount ?? 0;

/** So many messages, one a step; `onStep` looks on. */
const say = (count: number, onStep: (step: number) => void = () => {}): DecideInSteps =>
  function* () {
    const facts: NewFact[] = [];
    for (let i = 0; i < count; i += 1) {
      facts.push(chat(`m-${i}`));
      onStep(i);
      yield;
    }
    return facts;
  };

it("others have their turns between the steps", async () => {
  let turns = 0;
  let over = false;
  const count = async (): Promise<void> => {
    for (; !over; turns += 1) await giveWay();
  };
  const counting = count();
  await workspace.commitInSteps(say(2_000));
  over = true;
  await counting;
  expect(turns).toBeGreaterThan(1_000);
  expect(messages()).toBe(2_000);
});

it("what is committed meanwhile decides on what it came to", async () => {
  let begun: () => void = () => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const long = workspace.commitInSteps(say(300, (step) => step === 100 && begun()));
  await hasBegun;
  const seen: number[] = [];
  const short = [0, 1].map((i) =>
    workspace.commit((state) => {
      seen.push(state.sessions.get("chat-1")?.messageCount ?? 0);
      return [chat(`after-${i}`)];
    }),
  );
  const other = workspace.commitInSteps(say(2));
  await Promise.all([long, ...short, other]);
  expect(seen).toEqual([300, 301]);
  expect(messages()).toBe(304);
});

it("a refusal on the way leaves no trace, and the door is free again", async () => {
  const before = textOf(workspace);
  const refusal = new MultiverseError("PATCH_REFUSED", "no", { hint: "" });
  const refuse = say(10, (step) => {
    if (step === 5) throw refusal;
  });
  await expect(workspace.commitInSteps(refuse)).rejects.toBe(refusal);
  expect(textOf(workspace)).toBe(before);
  await workspace.commit(() => [chat("free")]);
  expect(messages()).toBe(1);
});

it("all of it is one commit: after opening again all of it is there, byte for byte", async () => {
  await workspace.commit(() => [chat("first")]);
  const [{ facts }] = await Promise.all([
    workspace.commitInSteps(say(700)),
    workspace.commit(() => [chat("last")]),
  ]);
  expect(new Set(facts.map((fact) => fact.tx)).size).toBe(1);
  await workspace.close();
  const before = textOf(workspace);
  workspace = await temp.open();
  expect(textOf(workspace) === before).toBe(true);
});

it("closing waits for it", async () => {
  const long = workspace.commitInSteps(say(50));
  await workspace.close();
  expect((await long).facts).toHaveLength(50);
});
