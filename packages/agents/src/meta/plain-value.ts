import { LIMITS } from "@multiverse/protocol/limits";

/**
 * Makes a freshly parsed value safe to hand on: at most 64 levels deep, no `__proto__` of its own, and no nulls in objects
 * (a model that must name every field of a schema writes null for "not given"). Walks with a stack of its own, since the
 * nesting is the model's choice. Changes the value in place.
 */
export function tidy(value: unknown): string | null {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.depth) return `nested deeper than ${LIMITS.depth} levels`;
    const next: unknown[] = [];
    for (const item of level) {
      if (Array.isArray(item)) for (const each of item) next.push(each);
      else if (isObject(item)) tidyObject(item, next);
    }
    level = next;
  }
  return null;
}

function tidyObject(object: Record<string, unknown>, next: unknown[]): void {
  for (const [key, value] of Object.entries(object)) {
    if (key === "__proto__" || isNothing(value)) delete object[key];
    else next.push(value);
  }
}

/** Null, or an object of nulls only: a position with neither index nor neighbour is no position. */
const isNothing = (value: unknown): boolean => {
  if (value === null) return true;
  if (!isObject(value) || Array.isArray(value)) return false;
  const fields = Object.values(value);
  return fields.length > 0 && fields.every((field) => field === null);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
