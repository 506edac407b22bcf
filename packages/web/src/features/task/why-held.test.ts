import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { afterEach, expect, test } from "vitest";
import { words } from "../../i18n/i18n.svelte.ts";
import { after, planState } from "../../testing/plan-fixture.ts";
import { whyHeld } from "./why-held.ts";

afterEach(() => (words.language = "en"));

const state = after(
  planState([
    { id: "list", title: "Make the list", files: ["src/list.ts"], state: "running" },
    { id: "all", title: "Tidy up", files: ["src"] },
  ]),
  [{ kind: "execution.started", payload: {} }],
);
const conditions: Conditions = {
  total: 1,
  limitedBy: "memory",
  pools: [],
  defaultAgent: "local",
  parallel: "safe",
  gate: { status: "open", until: null },
  live: [],
};
const why = (changes: Partial<Conditions> = {}): string =>
  whyHeld(state, "all", { ...conditions, ...changes }, Date.now());

test("what holds a task is said in the person's language", () => {
  expect(why()).toBe("touches the same files as Make the list, which is running: src/list.ts");
  expect(why({ parallel: "always" })).toBe(
    "waits for a slot: all 1 are taken (no more memory is free)",
  );
  words.language = "ja";
  expect(why()).toBe("実行中の Make the list と同じファイルを変更します: src/list.ts");
  expect(why({ parallel: "always" })).toBe("空きスロット待ち: 1 件すべて使用中（空きメモリ不足）");
});

test("a rate limit is said with the time of the day at which it ends", () => {
  const until = new Date(2026, 0, 5, 14, 30, 5).toISOString();
  expect(why({ gate: { status: "closed", until } })).toBe(
    "a rate limit holds everything until 14:30:05",
  );
});

test("nothing is said of a task that runs, or before the conditions are known", () => {
  expect(whyHeld(state, "list", conditions, Date.now())).toBe("");
  expect(whyHeld(state, "all", undefined, Date.now())).toBe("");
});
