import { expect, test } from "vitest";
import { simulate, type Faults } from "./simulate.ts";

/** Thousands in CI; some dozens are enough to notice a mistake while working. */
const LIVES = process.env["CI"] === "true" ? 2_000 : 100;

test(
  `${LIVES} seeded lives: every task ends exactly once, whatever is killed, paused, limited, changed or restored`,
  { timeout: 900_000 },
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
