import { recordSkip } from "../../scripts/skips.mjs";

/** A part of the system that tests need and that is not here. */
export interface Missing {
  readonly missing: string;
  /** What a person does to have it. */
  readonly how: string;
}

export const ci = process.env.CI === "true";

export function isMissing(found: object): found is Missing {
  return "missing" in found;
}

/**
 * For `describe.skipIf`: true when the part is missing, which `npm test` then says at its end with what to do. With
 * CI=true nothing may be skipped, so there it throws.
 */
export function skipWithout(found: object, what: string): boolean {
  if (!isMissing(found)) return false;
  if (ci) throw new Error(`${what}: ${found.missing}, although CI=true should have provided it`);
  recordSkip({ what, why: found.missing, how: found.how });
  return true;
}

/** The part itself, inside a test that runs only when it is there. */
export function present<T extends object>(found: T | Missing): T {
  if (isMissing(found)) throw new Error(found.missing);
  return found;
}
