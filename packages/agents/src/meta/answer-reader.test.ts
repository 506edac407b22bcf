import fc from "fast-check";
import { CompletionAssessmentAnswer } from "@multiverse/protocol/meta/completion-assessment";
import { PlanTaskAnswer } from "@multiverse/protocol/meta/plan-task";
import { PlanPatch } from "@multiverse/protocol/plan-patch";
import { describe, expect, test } from "vitest";
import { readAnswer, type RawAnswer } from "./answer-reader.ts";

const payload = { acceptance_criteria: [{ description: "it works" }] };
const envelope = { type: "plan_task", version: 1, payload };
const json = JSON.stringify(envelope);
const expected = { answer: { acceptance_criteria: [{ description: "it works", critical: true }] } };
const YAML = `type: plan_task
version: 1
payload:
  acceptance_criteria:
    - description: it works
`;

const read = (raw: RawAnswer | string) =>
  readAnswer("plan_task", PlanTaskAnswer, typeof raw === "string" ? { text: raw } : raw);
const problemOf = (raw: RawAnswer | string): string => {
  const reading = read(raw);
  return "problem" in reading ? reading.problem : `accepted: ${JSON.stringify(reading.answer)}`;
};

describe("accepted forms", () => {
  test.each<[string, RawAnswer | string]>([
    ["the provider's structured output", { text: "ignored", structured: envelope }],
    ["the whole text as JSON", json],
    ["JSON with space around", `\n\n  ${json}\n`],
    ["the flat form", JSON.stringify({ type: "plan_task", version: 1, ...payload })],
    ["the flat form without type and version", JSON.stringify(payload)],
    ["a version as text", JSON.stringify({ ...envelope, version: "1" })],
    ["no version", JSON.stringify({ type: "plan_task", payload })],
    ["a fenced block", `Here you are:\n\`\`\`json\n${json}\n\`\`\`\nAnything else?`],
    ["a fenced block without a language", `\`\`\`\n${json}\n\`\`\``],
    ["a fence in the middle of a line", `Sure: \`\`\`json\n${json}\n\`\`\``],
    ["a fence on one line", `\`\`\`json ${json}\`\`\``],
    ["a fence that is never closed", `\`\`\`json\n${json}\n`],
    ["a fence of four", `\`\`\`\`json\n${json}\n\`\`\`\``],
    ["YAML in a fence", `\`\`\`yaml\n${YAML}\`\`\``],
    ["prose around JSON", `I thought about it. ${json} I hope this helps {a lot}.`],
    ["braces in the prose before", `Use {this} format: ${json}`],
    ["an open brace in the prose before", `The { opens. ${json}`],
    ["JSON and text after it", `${json}\n\nThat is all.`],
    ["YAML from its type line", `model: gpt\ntokens: 12\n\n${YAML}`],
    ["YAML and nothing else", YAML],
    [
      "JSON with a comma too many",
      `{"type": "plan_task", "payload": {"acceptance_criteria": [{"description": "it works"},]}}`,
    ],
    [
      "null for what is not given",
      JSON.stringify({
        ...envelope,
        payload: {
          task_id: null,
          acceptance_criteria: [{ id: null, description: "it works", check: null }],
        },
      }),
    ],
    [
      "a fenced example before the answer that fits",
      `\`\`\`json\n{"example": true}\n\`\`\`\n${json}`,
    ],
  ])("%s", (_, raw) => {
    expect(read(raw)).toEqual(expected);
  });

  test("a YAML block with a fence inside is read to its own end", () => {
    const text = `\`\`\`yaml\npayload:\n  acceptance_criteria:\n    - description: |\n        run\n        \`\`\`\n        npm test\n        \`\`\`\n\`\`\`\n`;
    expect(read(text)).toMatchObject({
      answer: { acceptance_criteria: [{ description: "run\n```\nnpm test\n```\n" }] },
    });
  });

  test("the structured output wins over the text", () => {
    const other = { ...envelope, payload: { acceptance_criteria: [{ description: "other" }] } };
    expect(read({ text: json, structured: other })).toMatchObject({
      answer: { acceptance_criteria: [{ description: "other" }] },
    });
  });
});

describe("refused, each with a reason the model can act on", () => {
  const criteria = (list: unknown) => JSON.stringify({ payload: { acceptance_criteria: list } });
  test.each<[string, RawAnswer | string, string]>([
    ["nothing", "", "empty"],
    ["blanks", " \n\t ", "empty"],
    ["prose", "I cannot help with that.", "not valid JSON"],
    ["truncated JSON", json.slice(0, -20), "not valid JSON"],
    [
      "another call's answer",
      JSON.stringify({ ...envelope, type: "next_action" }),
      'expected "plan_task"',
    ],
    ["a later version", JSON.stringify({ ...envelope, version: 2 }), "version 2 is not supported"],
    ["wrong types", criteria("all"), "acceptance_criteria"],
    ["no criteria", criteria([]), "acceptance_criteria"],
    ["an empty description", criteria([{ description: "" }]), "acceptance_criteria.0.description"],
    ["an id that is a path", criteria([{ id: "../../x", description: "a" }]), "must start with"],
    ["NaN", '{"payload": {"acceptance_criteria": NaN}}', "acceptance_criteria"],
    ["a number", "42", "not an object"],
    ["null", "null", "not an object"],
    [
      "YAML with an alias",
      "type: plan_task\npayload: &a\n  acceptance_criteria: []\nb: *a\n",
      "YAML an",
    ],
    ["YAML with a tag", "type: plan_task\npayload: !!js/function x\n", "tags"],
    ["YAML with a name twice", "type: plan_task\npayload: 1\npayload: 2\n", "twice"],
    ["YAML in two documents", "type: plan_task\n---\ntype: plan_task\n", "not valid YAML"],
    ["10 MB of prose", "lorem ipsum ".repeat(873_814), "larger than 4 MiB"],
    ["10 MB of JSON", criteria([{ description: "x".repeat(10 * 1_048_576) }]), "larger than 4 MiB"],
    ["nesting of 100,000", "[".repeat(100_000) + "]".repeat(100_000), "deeper than 64"],
    [
      "nesting of 100,000 objects",
      '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000),
      "deeper than 64",
    ],
    ["nesting that is never closed", '{"a":'.repeat(100_000), "not valid JSON"],
    ["structured output nested too deep", { text: "", structured: deep(100) }, "deeper than 64"],
  ])("%s", (_, raw, reason) => {
    expect(problemOf(raw)).toContain(reason);
  });

  function deep(levels: number): unknown {
    let value: unknown = 1;
    for (let i = 0; i < levels; i++) value = { payload: value };
    return value;
  }

  test("the reason stays short enough to be quoted, however many things are wrong", () => {
    const many = Array.from({ length: 200 }, () => ({ description: 1, ["k".repeat(10_000)]: 1 }));
    expect(problemOf(criteria(many)).length).toBeLessThan(6_000);
    expect(problemOf(criteria(many))).toContain("and 190 more");
  });
});

test("__proto__ in an answer changes no prototype and reaches nobody", () => {
  const text = `{"type":"plan_patch","__proto__":{"polluted":1},"payload":{"understanding":"ok","__proto__":{"polluted":1},
    "operations":[{"op":"delete","task_id":"T-1","__proto__":{"cascade":true},"constructor":{"prototype":{"polluted":1}}}]}}`;
  const reading = readAnswer("plan_patch", PlanPatch, { text });
  expect(reading).toEqual({
    answer: {
      understanding: "ok",
      operations: [{ op: "delete", task_id: "T-1", cascade: false }],
      potential_conflicts: [],
      questions: [],
    },
  });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("hostile texts of the largest size are passed over a bounded number of times", () => {
  const size = 4_000_000;
  const fill = (unit: string) => unit.repeat(Math.floor(size / unit.length));
  const texts = [
    "{",
    "}",
    '{"',
    "```",
    "\n```\n",
    "\n   ```",
    "type:\n",
    "\ntype: {",
    "{}",
    "[{",
    "\\",
    '"\\',
    " \t",
  ].map(fill);
  for (const text of texts) expect(read(text)).toHaveProperty("problem");
});

test("any text whatsoever gives a reading and never throws", () => {
  const bits = fc.constantFrom(
    "{",
    "}",
    '"',
    "\\",
    "```",
    "\n",
    "type:",
    "plan_task",
    ":",
    ",",
    "[",
    "]",
    "- ",
    "&a",
    "*a",
    "!!x",
    "null",
    "payload",
    " ",
    "é",
    "\u0000",
    "1e999",
    "#",
    "|",
    ">",
    "'",
    "? ",
    "%",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(bits, { maxLength: 60 }).map((parts) => parts.join("")),
    fc.json(),
  );
  fc.assert(
    fc.property(text, (t) => {
      const reading = read(t);
      const size = "problem" in reading ? reading.problem : reading.answer.acceptance_criteria;
      expect(size.length).toBeGreaterThan(0);
    }),
    { numRuns: 1_000 },
  );
});

test("an answer is found again in any prose that has no braces, fences or type line", () => {
  const prose = fc.string().map((t) => t.replace(/[{}`"]|type:/g, ""));
  fc.assert(
    fc.property(prose, prose, (before, after) => {
      expect(read(`${before}${json}${after}`)).toEqual(expected);
    }),
  );
});

test("the older form of an assessment is read", () => {
  const text = JSON.stringify({
    type: "completion_assessment",
    all_criteria_satisfied: true,
    summary: "fine",
    details: { passed_criteria: ["AC-1"], remaining_risks: ["none"] },
  });
  expect(readAnswer("completion_assessment", CompletionAssessmentAnswer, { text })).toMatchObject({
    answer: { all_criteria_satisfied: true, details: { passed_criteria: ["AC-1"] } },
  });
});
