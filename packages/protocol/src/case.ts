/**
 * The one place where snake_case (disk, model messages, run events, facts) becomes camelCase (code), and back.
 * Keys are renamed, values are kept. A field named in OPAQUE keeps its value untouched, because its keys are
 * somebody else's names (environment variables, log fields) or because it is camelCase on disk too (tooling, a saved state).
 */
export const OPAQUE: ReadonlySet<string> = new Set([
  "env",
  "tool_specific",
  "toolSpecific",
  "metadata",
  "fields",
  "state_at",
  "stateAt",
  "tooling",
]);

type CamelKey<K> = K extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelKey<Tail>>}`
  : K;

/** The code's view of a wire type: every known key in camelCase. Open records keep their keys. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T as CamelKey<K>]: Camel<T[K]> }
    : T;

type SnakeKey<K> = K extends `${infer C}${infer Rest}`
  ? C extends Lowercase<C>
    ? `${C}${SnakeKey<Rest>}`
    : `_${Lowercase<C>}${SnakeKey<Rest>}`
  : K;

/** The wire's view of a type of the code. */
export type Snake<T> = T extends readonly (infer Item)[]
  ? Snake<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T as SnakeKey<K>]: Snake<T[K]> }
    : T;

/** Keys repeat endlessly, so their new names are remembered; keys from outside cannot make this grow without end. */
const REMEMBERED_KEYS = 5_000;

function remembering(change: (key: string) => string): (key: string) => string {
  const known = new Map<string, string>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const changed = change(key);
    if (known.size < REMEMBERED_KEYS) known.set(key, changed);
    return changed;
  };
}

const camelKey = remembering((key) =>
  key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase()),
);
const snakeKey = remembering((key) => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`));

function rename(value: unknown, key: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, key));
  if (value === null || typeof value !== "object") return value;
  const out: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name === "__proto__") continue; // assigning it would change the object itself
    out[key(name)] = OPAQUE.has(name) ? inner : rename(inner, key);
  }
  return out;
}

export const toCamel = <T>(wire: T): Camel<T> => rename(wire, camelKey) as Camel<T>;
export const toSnake = <T>(value: T): Snake<T> => rename(value, snakeKey) as Snake<T>;
