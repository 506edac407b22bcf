import { META_CALLS } from "@multiverse/protocol/meta/envelope";
import { expect, test } from "vitest";
import { answerSchema } from "./answer-schema.ts";

/** Every object schema inside a schema. */
function objectsIn(schema: unknown): object[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.values(schema).flatMap(objectsIn);
  return "properties" in schema ? [schema, ...inner] : inner;
}

test.each(META_CALLS)("the schema of %s is strict all the way down", (call) => {
  const objects = objectsIn(answerSchema(call));
  expect(objects.length).toBeGreaterThan(1);
  for (const object of objects) {
    const { properties = {} } = object as { properties?: object };
    expect(object).toMatchObject({
      required: Object.keys(properties),
      additionalProperties: false,
    });
  }
});

test.each(META_CALLS)("the schema of %s uses only what providers understand", (call) => {
  const text = JSON.stringify(answerSchema(call));
  expect(text).not.toMatch(
    /"(pattern|format|minLength|maxLength|minItems|maxItems|\$ref|\$schema)":/,
  );
  expect(text).toContain(`"enum":["${call}"]`);
});
