import { describe, expect, it } from "vitest";
import { below, seeded } from "./random.ts";
import { aftermath, counter, failAt, randomWork, script, start, untilEnd } from "./run.ts";
import { SimulatedDisk, type Fate } from "./simulated-disk.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { viewProblems } from "./view-problems.ts";
import { Witness } from "./witness.ts";

const WRITES = new Set(["create", "write", "rename"]);
const anyOperation = (): boolean => true;
const needsRoom = (operation: string): boolean => WRITES.has(operation);

/** Runs the script with a fault at its n-th fitting operation. Null if the script has fewer. */
async function scriptWith(
  n: number,
  fits: (operation: string) => boolean,
  fate: Fate,
  lasting: boolean,
  how: "kill" | "power",
): Promise<string[] | null> {
  const random = seeded(n);
  const disk = new SimulatedDisk();
  const witness = new Witness();
  const newId = counter();
  const fault = failAt(n, fits, fate, lasting);
  disk.fate = fault.plan;
  await untilEnd(
    disk,
    start(disk, newId).then((process) => script(process, witness)),
  );
  if (!fault.fired()) return null;
  return aftermath(disk.reboot(random, how), witness, newId, random);
}

describe("a fault at every single operation of a script", () => {
  const cases: {
    name: string;
    fits: (operation: string) => boolean;
    fate: Fate;
    lasting: boolean;
    how: "kill" | "power";
  }[] = [
    {
      name: "the process is killed before it",
      fits: anyOperation,
      fate: "die-before",
      lasting: false,
      how: "kill",
    },
    {
      name: "the process is killed after it",
      fits: anyOperation,
      fate: "die-after",
      lasting: false,
      how: "kill",
    },
    {
      name: "the power goes before it",
      fits: anyOperation,
      fate: "die-before",
      lasting: false,
      how: "power",
    },
    {
      name: "the power goes after it",
      fits: anyOperation,
      fate: "die-after",
      lasting: false,
      how: "power",
    },
    {
      name: "it fails once",
      fits: anyOperation,
      fate: { error: "EIO" },
      lasting: false,
      how: "power",
    },
    {
      name: "it and all later ones fail",
      fits: anyOperation,
      fate: { error: "EIO" },
      lasting: true,
      how: "power",
    },
    {
      name: "there is no room for it",
      fits: needsRoom,
      fate: { error: "ENOSPC" },
      lasting: false,
      how: "kill",
    },
    {
      name: "there is no room from it on",
      fits: needsRoom,
      fate: { error: "ENOSPC" },
      lasting: true,
      how: "power",
    },
    {
      name: "half of it is written",
      fits: (operation) => operation === "write",
      fate: "short",
      lasting: false,
      how: "kill",
    },
  ];
  it.each(cases)(
    "$name: nothing acknowledged is lost",
    { timeout: 120_000 },
    async ({ fits, fate, lasting, how }) => {
      let fired = 0;
      for (let n = 1; ; n += 1) {
        const problems = await scriptWith(n, fits, fate, lasting, how);
        if (problems === null) break;
        expect(problems, `operation ${n}`).toEqual([]);
        fired += 1;
      }
      expect(fired).toBeGreaterThan(50);
    },
  );
});

it("without a fault the views follow the state as it goes", async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed);
    const disk = new SimulatedDisk();
    const newId = counter();
    const { workspace } = await start(disk, newId);
    const witness = new Witness();
    await randomWork(
      { workspace, clock: new SimulatedClock(), fatal: false },
      witness,
      random,
      newId,
      30,
    );
    await workspace.flush();
    expect(
      [...(await viewProblems(disk, workspace)), ...(await witness.problems(workspace))],
      `seed ${seed}`,
    ).toEqual([]);
    await workspace.close();
  }
});

const RUNS = Number(process.env["STORE_SIMULATIONS"] ?? (process.env["CI"] ? 10_000 : 1_000));

it(
  `${RUNS} random lives with a random end each keep every promise`,
  { timeout: 300_000 },
  async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const problems = await randomLife(seed);
      expect(problems, `seed ${seed}`).toEqual([]);
    }
  },
);

/** A life of a workspace: work, a fault somewhere, a reboot; the whole a few times over, then the reckoning. */
async function randomLife(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const witness = new Witness();
  const newId = counter();
  let disk = new SimulatedDisk();
  for (let life = 0; life < 2; life += 1) {
    const fates: Fate[] = [
      "die-before",
      "die-after",
      { error: "EIO" },
      { error: "ENOSPC" },
      "short",
    ];
    const fate = fates[below(random, fates.length)] ?? "die-before";
    const fits =
      fate === "short"
        ? (operation: string) => operation === "write"
        : typeof fate === "object" && fate.error === "ENOSPC"
          ? needsRoom
          : anyOperation;
    const fault = failAt(1 + below(random, 60), fits, fate, random() < 0.5);
    disk.fate = fault.plan;
    const current = disk;
    await untilEnd(
      disk,
      start(disk, newId).then(async (process) => {
        // Enough work that the fault must come.
        for (let i = 0; i < 40 && !fault.fired() && !current.ended; i += 1)
          await randomWork(process, witness, random, newId, 4);
        await randomWork(process, witness, random, newId, 3);
        if (random() < 0.3) await process.workspace.close();
      }),
    );
    if (!fault.fired()) return ["the fault did not fire"];
    disk = disk.reboot(random, random() < 0.5 ? "kill" : "power");
  }
  return aftermath(disk, witness, newId, random);
}
