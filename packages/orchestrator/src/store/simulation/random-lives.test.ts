import { expect, it } from "vitest";
import { randomLife } from "./random-life.ts";

const RUNS = Number(process.env["STORE_SIMULATIONS"] ?? (process.env["CI"] ? 10_000 : 1_000));

it(
  `${RUNS} random lives with a random end each keep every promise`,
  { timeout: 900_000 },
  async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const problems = await randomLife(seed);
      expect(problems, `seed ${seed}`).toEqual([]);
    }
  },
);
