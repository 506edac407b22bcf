import { META_CALLS } from "@multiverse/protocol/meta/envelope";
import { expect, test } from "vitest";
import { answerSchema } from "../answer-schema.ts";
import { CALLS } from "../calls.ts";
import { BUILT_IN_PATTERNS } from "../patterns.ts";
import { repairMessage, userMessage } from "./user-message.ts";

test.each(META_CALLS)("the form shown for %s names only fields that its schema has", (call) => {
  const known = JSON.stringify(answerSchema(call, "strict"));
  const names = [...CALLS[call].shape.matchAll(/"(\w+)":/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(4);
  for (const name of names) expect(known).toContain(`"${name}":`);
});

test.each(META_CALLS)(
  "%s is asked with one line of JSON that is the request and nothing else",
  (call) => {
    const payload = { text: 'line one\nline two "quoted" ```fence```', n: 1 };
    const [first = "", ...rest] = userMessage(call, payload, CALLS[call].shape).split("\n");
    expect(JSON.parse(first)).toEqual({ type: call, version: 1, payload });
    expect(rest.join("\n")).toContain(`Answer the ${call} request above`);
  },
);

test("the worker's patterns that the prompt offers are the ones that ship", () => {
  for (const name of Object.keys(BUILT_IN_PATTERNS))
    expect(CALLS.next_action.system).toContain(name);
});

test("a problem is quoted back, but never without end", () => {
  expect(repairMessage("plan_task", "acceptance_criteria: missing")).toContain(
    "acceptance_criteria: missing",
  );
  expect(repairMessage("plan_task", "x".repeat(1_000_000)).length).toBeLessThan(10_000);
});
