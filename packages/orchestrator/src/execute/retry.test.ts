import fc from "fast-check";
import { expect, test } from "vitest";
import { RETRY, retryDelayMs } from "./retry.ts";

test("waits 5, 10, 20 s and never more than five minutes", () => {
  expect([1, 2, 3, 20].map((n) => retryDelayMs(n, () => 0.5))).toEqual([
    5_000, 10_000, 20_000, 300_000,
  ]);
});

test("jitter stays within a fifth, and the cap holds whatever chance says", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (failures, chance) => {
        const plain = retryDelayMs(failures, () => 0.5);
        const delay = retryDelayMs(failures, () => chance);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(plain * 0.8));
        expect(delay).toBeLessThanOrEqual(Math.min(RETRY.capMs, Math.ceil(plain * 1.2)));
        expect(retryDelayMs(failures + 1, () => 0.5)).toBeGreaterThanOrEqual(plain);
      },
    ),
  );
});
