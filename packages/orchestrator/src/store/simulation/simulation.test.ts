import { describe, expect, it } from "vitest";
import { anyOperation, needsRoom, writes } from "./random-life.ts";
import { seeded } from "./random.ts";
import { aftermath, counter, failAt, randomWork, script, start, untilEnd } from "./run.ts";
import { SimulatedDisk, type Fate } from "./simulated-disk.ts";
import { viewProblems } from "./view-problems.ts";
import { Witness } from "./witness.ts";

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
      fits: writes,
      fate: "short",
      lasting: false,
      how: "kill",
    },
  ];
  it.each(cases)(
    "$name: nothing acknowledged is lost",
    { timeout: 600_000 },
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

it("without a fault the views follow the state as it goes", { timeout: 120_000 }, async () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = seeded(seed);
    const disk = new SimulatedDisk();
    const newId = counter();
    const process = await start(disk, newId);
    const { workspace } = process;
    const witness = new Witness();
    await randomWork(process, witness, random, newId, 30);
    await workspace.flush();
    expect(
      [...(await viewProblems(disk, workspace)), ...(await witness.problems(workspace))],
      `seed ${seed}`,
    ).toEqual([]);
    await workspace.close();
  }
});
