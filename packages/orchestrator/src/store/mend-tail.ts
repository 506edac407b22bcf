import { join } from "node:path";
import type { FactPayload } from "@multiverse/protocol/fact";
import { durably, writeDurably } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import type { HistoryPosition } from "./history-files.ts";
import type { Torn } from "./scan-history.ts";

export type Repair = FactPayload<"log.repaired">;

const TORN = /^torn-(\d+)(?:-\d+)?\.bin$/;

/** Keeps a torn end aside, then cuts it off: in this order, so that no byte is ever in neither place. */
export async function mendTail(fs: FileSystem, folder: string, torn: Torn): Promise<Repair> {
  const file = await fs.open(join(folder, torn.file), "update");
  try {
    const bytes = await file.read(torn.offset, (await file.size()) - torn.offset);
    const name = await freeName(fs, folder, torn.seq, bytes);
    await writeDurably(fs, join(folder, name), [bytes]);
    await file.truncate(torn.offset);
    await durably(() => file.sync());
    return { file: torn.file, offset: torn.offset, bytes: bytes.length, keptAs: name };
  } finally {
    await file.close();
  }
}

/** An earlier try may have kept the same bytes already. */
async function freeName(
  fs: FileSystem,
  folder: string,
  seq: number,
  bytes: Buffer,
): Promise<string> {
  const taken = new Set(await fs.list(folder));
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? `torn-${seq}.bin` : `torn-${seq}-${i}.bin`;
    if (!taken.has(name) || (await fs.readFile(join(folder, name))).equals(bytes)) return name;
  }
}

/** A cut whose record is missing, because the process ended between the two: the kept bytes tell of it. */
export async function unrecordedRepair(
  fs: FileSystem,
  folder: string,
  end: HistoryPosition | null,
  nextSeq: number,
): Promise<Repair | null> {
  const names = (await fs.list(folder)).filter((name) => Number(TORN.exec(name)?.[1]) === nextSeq);
  const name = names.at(-1);
  if (!name || !end) return null;
  const { length } = await fs.readFile(join(folder, name));
  return { file: end.file, offset: end.offset, bytes: length, keptAs: name };
}
