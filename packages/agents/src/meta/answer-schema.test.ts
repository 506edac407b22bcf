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
  const objects = objectsIn(answerSchema(call, "strict"));
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
  const text = JSON.stringify(answerSchema(call, "strict"));
  expect(text).not.toMatch(
    /"(pattern|format|minLength|maxLength|minItems|maxItems|\$ref|\$schema)":/,
  );
  expect(text).toContain(`"enum":["${call}"]`);
});

test("in the plain form only what our own schema requires is required, and nothing is null", () => {
  const text = JSON.stringify(answerSchema("plan_patch", "plain"));
  expect(text).not.toContain('"null"');
  const create = objectsIn(answerSchema("plan_patch", "plain")).find(
    (object) => "properties" in object && JSON.stringify(object.properties).includes('"temp_id"'),
  );
  expect(create).toMatchObject({ additionalProperties: false });
  expect(JSON.stringify(create)).not.toContain('"required":["op","temp_id","title","description"');
});
