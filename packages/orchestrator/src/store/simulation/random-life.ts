import { below, seeded } from "./random.ts";
import { aftermath, counter, failAt, randomWork, start, untilEnd } from "./run.ts";
import { SimulatedDisk, type Fate } from "./simulated-disk.ts";
import { Witness } from "./witness.ts";

const NEEDS_ROOM = new Set(["create", "write", "rename"]);
export const anyOperation = (): boolean => true;
export const needsRoom = (operation: string): boolean => NEEDS_ROOM.has(operation);
export const writes = (operation: string): boolean => operation === "write";

const FAULTS: readonly { readonly fate: Fate; readonly fits: (operation: string) => boolean }[] = [
  { fate: "die-before", fits: anyOperation },
  { fate: "die-after", fits: anyOperation },
  { fate: { error: "EIO" }, fits: anyOperation },
  { fate: { error: "ENOSPC" }, fits: needsRoom },
  { fate: "short", fits: writes },
];

/** A life of a workspace: work, a fault somewhere, a reboot; twice, and then the reckoning. What went wrong comes back. */
export async function randomLife(seed: number): Promise<string[]> {
  const random = seeded(seed);
  const witness = new Witness();
  const newId = counter();
  let disk = new SimulatedDisk();
  for (let life = 0; life < 2; life += 1) {
    const { fate, fits } = FAULTS[below(random, FAULTS.length)] ?? {
      fate: "fine",
      fits: anyOperation,
    };
    const fault = failAt(1 + below(random, 50), fits, fate, random() < 0.5);
    disk.fate = fault.plan;
    const current = disk;
    const work = async (): Promise<void> => {
      const process = await start(current, newId);
      // As much work as it takes for the fault to come, and a little more.
      for (let i = 0; i < 40 && !fault.fired() && !current.ended; i += 1) {
        await randomWork(process, witness, random, newId, 2);
      }
      await randomWork(process, witness, random, newId, 1);
      if (random() < 0.3) await process.workspace.close();
    };
    await untilEnd(disk, work());
    if (!fault.fired()) return ["the fault did not fire"];
    disk = disk.reboot(random, random() < 0.5 ? "kill" : "power");
  }
  return aftermath(disk, witness, newId, random);
}
