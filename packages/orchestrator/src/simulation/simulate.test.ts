import { expect, test } from "vitest";
import { simulate, type Life } from "./simulate.ts";

/** Thousands in CI; a few hundred are enough to notice a mistake while working. */
const LIVES = process.env["CI"] === "true" ? 2_000 : 150;

test(
  `${LIVES} seeded lives: every task ends exactly once, whatever is killed, paused or limited`,
  { timeout: 600_000 },
  async () => {
    const total = { crashes: 0, kills: 0, pauses: 0 };
    for (let seed = 1; seed <= LIVES; seed += 1) {
      const life: Life = await simulate(seed);
      expect(life.problems, `seed ${seed}`).toEqual([]);
      total.crashes += life.crashes;
      total.kills += life.kills;
      total.pauses += life.pauses;
    }
    for (const [fault, count] of Object.entries(total))
      expect(count, `${fault} that really happened`).toBeGreaterThan(LIVES / 4);
  },
);
