import fc from "fast-check";

/** The part of a JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

const awkward = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 2 ** 53, [], {}, [[[[[[]]]]]]),
  fc.constantFrom<unknown>("", "../../etc/passwd", "\u0000", "__proto__", "é🎉", "\ud800"),
  fc.constantFrom<unknown>("x".repeat(5_000), "'; DROP TABLE x; --", { polluted: 1 }),
);
const word = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom("task-0001", "a", "node-root", "default", "start", "mock", "codex-cli"),
);

/** Values that fit a schema most of the time, and sometimes anything at all. */
export function valuesOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: fitting(schema, depth) },
    { weight: 1, arbitrary: awkward },
  );
}

function fitting(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > 4) return awkward;
  const either = schema.anyOf ?? schema.oneOf;
  if (either?.length) return fc.oneof(...either.map((each) => valuesOf(each, depth + 1)));
  if (schema.allOf?.length)
    return fc.oneof(...schema.allOf.map((each) => valuesOf(each, depth + 1)));
  if (schema.enum?.length) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const type = typeof schema.type === "string" ? schema.type : (schema.type?.[0] ?? "");
  switch (type) {
    case "object":
      return objects(schema, depth);
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
    case "string":
      return word;
    case "integer":
    case "number":
      return fc.oneof(fc.integer(), fc.double());
    case "boolean":
      return fc.boolean();
    default:
      return awkward;
  }
}

function objects(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, each]) => [
      name,
      valuesOf(each, depth + 1),
    ]),
  );
  return fc.record(fields, { requiredKeys: [...(schema.required ?? [])].slice(0, 20) });
}
