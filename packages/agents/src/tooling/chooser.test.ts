import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CategoryChoice, type Candidate } from "@multiverse/protocol/tooling";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../system-clock.ts";
import { createChooser, type Chooser } from "./chooser.ts";
import { openCooldownGate } from "./cooldown.ts";
import { chooseOrWait, createWaitBudget } from "./wait-for-candidate.ts";

let folder: string;
let now: number;
let slept: number[];
const clock = {
  now: () => new Date(now),
  monotonic: () => now,
  sleep: (ms: number) => {
    slept.push(ms);
    now += ms;
    return Promise.resolve();
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chooser-"));
  now = Date.parse("2026-01-01T00:00:00.000Z");
  slept = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const choice = (over: object = {}): CategoryChoice =>
  CategoryChoice.parse({
    strategy: "priority",
    candidates: [
      { tool: "codex-cli", model: "a" },
      { tool: "claude-code", model: "b" },
    ],
    ...over,
  });

const chooser = (over: object = {}, problems: Record<string, string> = {}): Chooser =>
  createChooser({
    choice: choice(over),
    problemWith: ({ model }) => Promise.resolve(problems[model] ?? null),
    credentialOf: () => "me",
    gate: openCooldownGate(folder, { ...systemClock, now: clock.now }),
    random: () => 0,
    clock,
  });

async function chosen(of: Chooser): Promise<Candidate> {
  const { candidate } = await of.choose();
  if (candidate === null) throw new Error("nobody");
  return candidate;
}

test("after a limit the next one is chosen, also by every other task", async () => {
  const mine = chooser();
  const first = await chosen(mine);
  expect(first.model).toBe("a");
  await mine.settle(first, "limited");
  expect((await chosen(mine)).model).toBe("b");
  expect((await chosen(chooser())).model).toBe("b");
  now += 120_001;
  expect((await chosen(chooser())).model).toBe("a");
});

test("the provider's own time wins over cooldownSec", async () => {
  const mine = chooser({ candidates: [{ tool: "codex-cli", model: "a" }] });
  await mine.settle(await chosen(mine), "limited", "2026-01-01T05:00:00.000Z");
  expect(await mine.choose()).toEqual({
    candidate: null,
    retryAt: new Date("2026-01-01T05:00:00.000Z"),
    problems: [],
  });
});

test("without fallback a step stays with whom it began", async () => {
  const mine = chooser({ fallbackOnRateLimit: false });
  await mine.settle(await chosen(mine), "limited");
  expect(await mine.choose()).toMatchObject({ candidate: null });
});

test("a limit that lifts at once does not make a step go back and forth", async () => {
  const mine = chooser();
  const first = await chosen(mine);
  await mine.settle(first, "limited", new Date(now - 1).toISOString());
  expect(await mine.after(first)).toMatchObject({ model: "b" });
  const second = await chosen(mine);
  expect(second.model).toBe("b");
  await mine.settle(second, "limited", new Date(now - 1).toISOString());
  expect((await chosen(mine)).model).toBe("a");
});

test("candidates that cannot be had are passed over, and named when nobody is left", async () => {
  expect((await chosen(chooser({}, { a: "no login" }))).model).toBe("b");
  expect(await chooser({}, { a: "no login", b: "no image" }).choose()).toEqual({
    candidate: null,
    retryAt: null,
    problems: ["no login", "no image"],
  });
});

test("only one task probes when the time is over", async () => {
  const only = { candidates: [{ tool: "codex-cli", model: "a" }] };
  const [mine, yours] = [chooser(only), chooser(only)];
  await mine.settle(await chosen(mine), "limited");
  now += 120_001;
  const probe = await chosen(mine);
  expect(await yours.choose()).toMatchObject({ candidate: null });
  await mine.settle(probe, "answered");
  expect((await chosen(yours)).model).toBe("a");
});

test("a short wait is waited out in place, a long one is not", async () => {
  const only = { candidates: [{ tool: "codex-cli", model: "a" }] };
  const signal = new AbortController().signal;
  const mine = chooser({ ...only, cooldownSec: 30 });
  await mine.settle(await chosen(mine), "limited");
  const budget = createWaitBudget(clock);
  const { candidate } = await chooseOrWait(mine, budget, signal);
  expect(candidate?.model).toBe("a");
  expect(slept).toEqual([30_000]);

  const soonTooLate = new Date(now + 31_000).toISOString();
  await mine.settle(candidate ?? fail(), "limited", soonTooLate);
  expect(await chooseOrWait(mine, budget, signal)).toMatchObject({ candidate: null });
  expect(slept).toEqual([30_000]);
});

function fail(): never {
  throw new Error("nobody was chosen");
}
