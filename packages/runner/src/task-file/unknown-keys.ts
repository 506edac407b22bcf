import type { z } from "zod";
import { nearest } from "./nearest.ts";

export interface UnknownKey {
  readonly path: readonly string[];
  readonly suggestion: string | undefined;
}

/** Keys of a value that its schema does not know, each with the nearest known one. Open records are left alone. */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
): UnknownKey[] {
  const shape = shapeOf(schema);
  if (!shape || typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): UnknownKey[] => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known) return unknownKeys(known, inner, [...path, key]);
    return [{ path: [...path, key], suggestion: nearest(key, Object.keys(shape)) }];
  });
}

/** The fields of an object schema, seen through defaults and optionality. */
function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
    shape?: Record<string, z.core.$ZodType>;
  };
  if (def.innerType) return shapeOf(def.innerType);
  return def.type === "object" ? def.shape : undefined;
}
