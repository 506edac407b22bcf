import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import { z } from "zod";
import { CALLS } from "./calls.ts";

type JsonSchema = { readonly [key: string]: unknown };

const cache = new Map<MetaCall, JsonSchema>();

/**
 * The JSON schema of a call's answer in the strict form that models can be held to: every field is required (null
 * stands for "not given"), no others are allowed, and only the keywords that providers understand are left. Our own
 * schema, which knows the limits, is applied to the answer afterwards.
 */
export function answerSchema(call: MetaCall): JsonSchema {
  const known = cache.get(call);
  if (known) return known;
  const payload = z.toJSONSchema(CALLS[call].schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  });
  const schema = object({
    type: { type: "string", enum: [call] },
    version: { type: "integer", enum: [1] },
    payload: strict(payload),
  });
  cache.set(call, schema);
  return schema;
}

function strict(schema: unknown): JsonSchema {
  if (!isSchema(schema)) return { type: "string" };
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(options)) return { anyOf: options.map(strict) };
  if (isSchema(schema["properties"])) return strictObject(schema);
  if (schema["type"] === "array") return { type: "array", items: strict(schema["items"]) };
  if ("const" in schema) return { type: typeof schema["const"], enum: [schema["const"]] };
  const { type, enum: values } = schema;
  return { type: type ?? "string", ...(values === undefined ? {} : { enum: values }) };
}

function strictObject(schema: JsonSchema): JsonSchema {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const fields = Object.entries(properties).filter(([, field]) => !isOpen(field));
  return object(
    Object.fromEntries(
      fields.map(([name, field]) => {
        const made = strict(field);
        return [name, required.has(name) ? made : { anyOf: [made, { type: "null" }] }];
      }),
    ),
  );
}

const object = (properties: Record<string, unknown>): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** A record with names of the model's choice cannot be said strictly, and none is needed in an answer. */
const isOpen = (field: unknown): boolean =>
  isSchema(field) && field["type"] === "object" && !isSchema(field["properties"]);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
