/**
 * Without the keys that have no value: who writes `runner:` and nothing below it means the defaults, as if it were not
 * there. A key that is required is then missing, and said to be.
 */
export function withoutEmptyValues(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      inner === null || inner === undefined ? [] : [[key, withoutEmptyValues(inner)]],
    ),
  );
}
