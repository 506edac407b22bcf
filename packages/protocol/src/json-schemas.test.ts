import { expect, test } from "vitest";
import { OPAQUE } from "./case.ts";
import { jsonSchema, PUBLISHED } from "./json-schemas.ts";

test.each(Object.keys(PUBLISHED))("docs/schemas/%s.json is what the code reads", async (name) => {
  const text = `${JSON.stringify(jsonSchema(PUBLISHED[name]!), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(`../../../docs/schemas/${name}.json`);
});

/** Fields whose keys are somebody else's names, found in the schemas themselves. */
function openRecords(schema: unknown, name: string, found: Set<string>): Set<string> {
  if (schema === null || typeof schema !== "object") return found;
  const { properties, additionalProperties, propertyNames } = schema as Record<string, unknown>;
  const isRecord =
    propertyNames !== undefined || (!properties && typeof additionalProperties === "object");
  const closed = (propertyNames as { enum?: unknown } | undefined)?.enum !== undefined;
  if (isRecord && !closed) found.add(name);
  for (const [key, inner] of Object.entries(properties ?? {})) openRecords(inner, key, found);
  for (const [key, inner] of Object.entries(schema)) {
    if (key !== "properties") openRecords(inner, name, found);
  }
  return found;
}

test("every open record of a snake_case message keeps its keys when names are changed", () => {
  const snake = ["task-file", "next-action-answer", "run-event", "fact-payloads", "plan-patch"];
  const fields = snake.flatMap((name) => [
    ...openRecords(jsonSchema(PUBLISHED[name]!), name, new Set()),
  ]);
  expect(fields).toContain("env");
  expect(fields.filter((field) => !OPAQUE.has(field) && !snake.includes(field))).toEqual([]);
});
