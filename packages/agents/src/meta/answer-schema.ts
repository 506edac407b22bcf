import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import { z } from "zod";
import type { SchemaForm } from "../schema-form.ts";
import { CALLS } from "./calls.ts";

type JsonSchema = { readonly [key: string]: unknown };

const cache = new Map<string, JsonSchema>();

/**
 * The JSON schema of a call's answer. No other fields are allowed, and only the keywords that providers understand are
 * left. Our own schema, which knows the limits, is applied to the answer afterwards.
 */
export function answerSchema(call: MetaCall, form: SchemaForm): JsonSchema {
  const known = cache.get(`${form} ${call}`);
  if (known) return known;
  const payload = z.toJSONSchema(CALLS[call].schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  });
  const schema = object({
    type: { type: "string", enum: [call] },
    version: { type: "integer", enum: [1] },
    payload: simple(payload, form),
  });
  cache.set(`${form} ${call}`, schema);
  return schema;
}

function simple(schema: unknown, form: SchemaForm): JsonSchema {
  if (!isSchema(schema)) return { type: "string" };
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(options)) return { anyOf: options.map((option) => simple(option, form)) };
  if (isSchema(schema["properties"])) return objectOf(schema, form);
  if (schema["type"] === "array") return { type: "array", items: simple(schema["items"], form) };
  if ("const" in schema) return { type: typeof schema["const"], enum: [schema["const"]] };
  const { type, enum: values } = schema;
  return { type: type ?? "string", ...(values === undefined ? {} : { enum: values }) };
}

function objectOf(schema: JsonSchema, form: SchemaForm): JsonSchema {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const fields = Object.entries(properties).filter(([, field]) => !isOpen(field));
  const isNullable = (name: string): boolean => form === "strict" && !required.has(name);
  const made = Object.fromEntries(
    fields.map(([name, field]) => {
      const plain = simple(field, form);
      return [name, isNullable(name) ? { anyOf: [plain, { type: "null" }] } : plain];
    }),
  );
  const names = Object.keys(made);
  return object(made, form === "strict" ? names : names.filter((name) => required.has(name)));
}

const object = (
  properties: Record<string, unknown>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** A record with names of the model's choice cannot be said strictly, and none is needed in an answer. */
const isOpen = (field: unknown): boolean =>
  isSchema(field) && field["type"] === "object" && !isSchema(field["properties"]);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
