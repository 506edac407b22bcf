import { parseScript } from "@multiverse/agents/demo/script";
import { parseRestrictedYaml as answerYaml } from "@multiverse/agents/meta/restricted-yaml";
import { readTaskFile } from "@multiverse/runner/task-file/read-task-file";
import { expect, test } from "vitest";

/** Every place that reads YAML from outside: does it take this text? */
const READERS: Readonly<Record<string, (text: string) => boolean>> = {
  "a model's answer": (text) => "value" in answerYaml(text),
  "a task file": (text) => readTaskFile(Buffer.from(text)).problems === undefined,
  "a demo script": (text) => {
    try {
      parseScript(text, "test");
      return true;
    } catch {
      return false;
    }
  },
};

const letters = "abcdefghi".split("");
const nine = (item: string): string => Array<string>(9).fill(item).join();
const aliases = letters
  .map((name, i) => `${name}: &${name} [${nine(i === 0 ? "x" : `*${letters[i - 1]}`)}]`)
  .join("\n");
const merges = (count: number): string =>
  `base: &b {x: 1}\n${Array.from({ length: count }, (_, i) => `k${i}: {<<: *b, y: ${i}}`).join("\n")}`;

const hostile = Object.entries({
  "an alias bomb": aliases,
  "a merge bomb": merges(2_000),
  "nesting without end": `a: ${"[".repeat(20_000)}`,
  "a function": "a: !!js/function 'function () {}'",
  "a prototype behind an alias": "a: &p {polluted: 1}\n__proto__: *p",
});

test.each(Object.keys(READERS).flatMap((reader) => hostile.map((each) => [reader, ...each])))(
  "%s with %s is refused",
  (reader, _, text) => {
    expect(READERS[reader ?? ""]?.(text ?? "")).toBe(false);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  },
);

test("a large answer is refused without being parsed, since everyone else would wait", () => {
  expect(answerYaml(merges(20_000))).toEqual({ problem: expect.stringContaining("is not read") });
});

test("a task file with very many keys is read in one pass", () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join("\n");
  const { problems } = readTaskFile(Buffer.from(`${keys}\nk1: 2`));
  expect(problems).toMatchObject([{ message: "Map keys must be unique" }]);
});
