import { expect, test } from "vitest";
import { simulate, type Faults } from "./simulate.ts";

/** Five thousand in CI, more by option; some dozens are enough to notice a mistake while working. */
const LIVES = Number(
  process.env["SIMULATED_LIVES"] ?? (process.env["CI"] === "true" ? 3_000 : 100),
);

test(
  `${LIVES} seeded lives: every task ends exactly once, whatever is killed, paused, limited, changed or restored`,
  { timeout: 3_600_000 },
  async () => {
    const total = new Map<string, number>();
    for (let seed = 1; seed <= LIVES; seed += 1) {
      const { problems, faults } = await simulate(seed);
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const [fault, count] of Object.entries(faults) as [keyof Faults, number][])
        total.set(fault, (total.get(fault) ?? 0) + count);
    }
    for (const [fault, count] of total)
      expect(count, `${fault} that really happened`).toBeGreaterThan(LIVES / 10);
  },
);

test("a seed is a life: played again, it leaves the same history, byte for byte", async () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const [first, again] = [await simulate(seed), await simulate(seed)];
    expect(again.history === first.history, `seed ${seed}`).toBe(true);
    expect(again.faults).toEqual(first.faults);
    expect(first.history).toContain("attempt.started");
  }
}, 120_000);
