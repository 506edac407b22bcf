import type { FoundLogin } from "../login.ts";
import { createMask, type Mask } from "../secrets.ts";

/** The values that must not be shown; it grows with every login that is used. */
export interface SecretBook {
  learn(login: FoundLogin | null): void;
  mask(): Mask;
  values(): readonly string[];
}

export function createSecretBook(
  initial: readonly string[],
  words: ReadonlySet<string>,
): SecretBook {
  const values = new Set(initial);
  let mask = createMask(values, words);
  return {
    learn(login) {
      const fresh = login?.secrets.filter((value) => !values.has(value)) ?? [];
      if (fresh.length === 0) return;
      for (const value of fresh) values.add(value);
      mask = createMask(values, words);
    },
    mask: () => mask,
    values: () => [...values],
  };
}
