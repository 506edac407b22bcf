import type { z } from "zod";
import { nearest } from "./nearest.ts";

export interface UnknownKey {
  readonly path: readonly string[];
  readonly suggestion: string | undefined;
}

/** Keys of a value that its schema does not know, each with the nearest known one. Names in open records are left alone. */
export function unknownKeys(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly string[] = [],
): UnknownKey[] {
  if (typeof value !== "object" || value === null) return [];
  const { shape, items } = insideOf(schema);
  return Object.entries(value).flatMap(([key, inner]): UnknownKey[] => {
    const known = items ?? (shape && Object.hasOwn(shape, key) ? shape[key] : undefined);
    if (known) return unknownKeys(known, inner, [...path, key]);
    if (!shape || Array.isArray(value)) return [];
    return [{ path: [...path, key], suggestion: nearest(key, Object.keys(shape)) }];
  });
}

interface Inside {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>> | undefined;
  /** What a list or an open record is made of. */
  readonly items?: z.core.$ZodType | undefined;
}

/** The fields or items of a schema, seen through defaults and optionality. */
function insideOf(schema: z.core.$ZodType): Inside {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: z.core.$ZodType;
    shape?: Record<string, z.core.$ZodType>;
    element?: z.core.$ZodType;
    valueType?: z.core.$ZodType;
  };
  if (def.innerType) return insideOf(def.innerType);
  if (def.type === "object") return { shape: def.shape };
  return { items: def.type === "array" ? def.element : def.valueType };
}
