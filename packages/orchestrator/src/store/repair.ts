import { join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import type { RepairFile } from "@multiverse/protocol/repair-file";
import { saveState } from "@multiverse/protocol/saved-state";
import { checkHistory } from "./check-history.ts";
import { durably, writeDurably } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import type { HistoryPosition } from "./history-files.ts";
import { recover, type Recovered } from "./recover.ts";
import { pendingRepair, REPAIR_FILE } from "./pending-repair.ts";
import { scanHistory, type Damage } from "./scan-history.ts";

/**
 * The ways out of damage. Both keep copies of the damaged files under damaged/<time>/ and go on after the last good
 * fact: `last-good` with the state of that moment, `newest-state` with the newest state that can be put together.
 */
export type RepairChoice = "last-good" | "newest-state";

export interface RepairOffer {
  readonly damage: Damage;
  /** The last fact before the damage; everything after it leaves history. */
  readonly lastGoodSeq: number;
  /** The newest moment that snapshots and the facts after them still give. */
  readonly newestSeq: number;
  readonly choices: readonly RepairChoice[];
}

interface Findings {
  readonly offer: RepairOffer;
  readonly end: HistoryPosition | null;
  readonly newest: Recovered;
}

/**
 * Looks at the whole history and says what can be done; null if there is nothing to repair, or if a repair was decided
 * on already, which the next opening carries out. Reads only.
 */
export async function examine(fs: FileSystem, dir: string): Promise<Findings | null> {
  if (await pendingRepair(fs, dir)) return null;
  const newest = await recover(fs, dir, () => {});
  const damage = newest.damage ?? (await olderDamage(fs, dir, newest));
  if (!damage) return null;
  const names = newest.files.map((file) => file.name);
  let lastGoodSeq = 0;
  const { end } = await scanHistory(
    fs,
    join(dir, "history"),
    names,
    { seq: 0, offset: 0 },
    (facts) => {
      lastGoodSeq = facts.at(-1)?.seq ?? lastGoodSeq;
    },
  );
  const newestSeq = newest.state.seq;
  const choices: RepairChoice[] =
    newestSeq > lastGoodSeq ? ["newest-state", "last-good"] : ["last-good"];
  return { offer: { damage, lastGoodSeq, newestSeq, choices }, end, newest };
}

function olderDamage(
  fs: FileSystem,
  dir: string,
  { base, files }: Recovered,
): Promise<Damage | null> {
  if (!base.position) return Promise.resolve(null);
  const until = { seq: base.seq, position: base.position };
  return checkHistory(fs, join(dir, "history"), files, until, new AbortController().signal);
}

/** Copies what is damaged aside and notes what is to be done; opening the workspace then does it. */
export async function prepareRepair(
  fs: FileSystem,
  dir: string,
  choice: RepairChoice,
  now: Date,
): Promise<{ readonly offer: RepairOffer; readonly keptIn: string } | null> {
  const found = await examine(fs, dir);
  if (!found) return null;
  const { offer, end, newest } = found;
  if (!offer.choices.includes(choice)) throw notOffered(choice);
  const keptIn = `damaged/${now.toISOString().replaceAll(/[-:.]/g, "")}`;
  const names = newest.files.map((file) => file.name);
  const cutAt = end ? names.indexOf(end.file) : -1;
  const bytes = await keepCopies(fs, dir, keptIn, names.slice(Math.max(0, cutAt)));
  const { file, offset } = offer.damage;
  const repaired: NewFact = {
    kind: "log.repaired",
    payload: { file, offset, bytes: Math.max(0, bytes - (end?.offset ?? 0)), keptAs: keptIn },
  };
  const facts = [...(choice === "newest-state" ? [newestState(newest)] : []), repaired];
  const intent: RepairFile = { keptIn, end, later: names.slice(cutAt + 1), facts };
  await writeDurably(fs, join(dir, REPAIR_FILE), [Buffer.from(JSON.stringify(intent))]);
  return { offer, keptIn };
}

function newestState({ state }: Recovered): NewFact {
  const { projectRoot = "", name = "" } = state.workspace ?? {};
  const from = `repair: the state of seq ${state.seq}`;
  return {
    kind: "workspace.imported",
    payload: { projectRoot, name, from, stateAt: saveState(state) },
  };
}

/** Copies the history files from the damage on, and all snapshots. */
async function keepCopies(
  fs: FileSystem,
  dir: string,
  keptIn: string,
  names: readonly string[],
): Promise<number> {
  const aside = join(dir, keptIn);
  await fs.makeFolder(aside);
  let bytes = 0;
  for (const name of names) {
    const content = await fs.readFile(join(dir, "history", name));
    await writeDurably(fs, join(aside, name), [content]);
    bytes += content.length;
  }
  for (const name of await fs.list(join(dir, "snapshots"))) {
    await writeDurably(fs, join(aside, name), [await fs.readFile(join(dir, "snapshots", name))]);
  }
  for (const folder of [aside, join(dir, "damaged"), dir])
    await durably(() => fs.syncFolder(folder));
  return bytes;
}

const notOffered = (choice: RepairChoice): MultiverseError =>
  new MultiverseError("INVALID_INPUT", `This workspace cannot be repaired with "${choice}".`, {
    hint: "Look at the offered choices first.",
  });
