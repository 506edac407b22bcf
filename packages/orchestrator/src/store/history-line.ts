import { crc32 } from "node:zlib";
import { FACT_KINDS, type Fact, type FactWire } from "@multiverse/protocol/fact";
import { factFromWire, factToWire } from "@multiverse/protocol/fact-wire";
import { tooNew } from "./schema.ts";

/**
 * One fact is one line of JSON that ends in its own checksum: `{…,"crc":"1a2b3c4d"}\n`. The checksum covers every byte
 * before `,"crc"`, so a line can be checked without being parsed.
 */
const CRC_LENGTH = ',"crc":"00000000"}'.length;
const CRC_KEY = Buffer.from(',"crc":"');

const hex = (crc: number): string => crc.toString(16).padStart(8, "0");

export function encodeLine(fact: Fact): string {
  const body = JSON.stringify(factToWire(fact)).slice(0, -1);
  return `${body},"crc":"${hex(crc32(body))}"}\n`;
}

/** Whether the bytes of a line (without newline) are what was written. */
export function isIntact(line: Buffer): boolean {
  const end = line.length - CRC_LENGTH;
  if (end <= 0 || line.compare(CRC_KEY, 0, CRC_KEY.length, end, end + CRC_KEY.length) !== 0)
    return false;
  const written = line.toString("latin1", end + CRC_KEY.length, end + CRC_KEY.length + 8);
  return written === hex(crc32(line.subarray(0, end)));
}

/** The checksum itself: equal lines have equal ones. */
export const crcOf = (line: Buffer): string =>
  line.toString("latin1", line.length - 10, line.length - 2);

const SEQ = /^\{"v":(\d+),"seq":(\d+),/;

/** Version and seq without parsing the line: they stand first. */
export function peekLine(line: Buffer): { v: number; seq: number } | undefined {
  const found = SEQ.exec(line.toString("latin1", 0, 48));
  return found ? { v: Number(found[1]), seq: Number(found[2]) } : undefined;
}

const KINDS: ReadonlySet<string> = new Set(FACT_KINDS);

/** The fact of an intact line: its checksum vouches that it is what was written. A kind we do not know is a newer one. */
export function decodeLine(line: Buffer): Fact {
  const wire = JSON.parse(line.toString("utf8")) as FactWire;
  if (!KINDS.has(wire.kind)) throw tooNew(`history has facts of the kind ${String(wire.kind)}`);
  return factFromWire(wire);
}

/**
 * Facts written with one `write` are one batch, and the transaction id says where the batch began. After a power cut any
 * part of the last batch may be missing, while everything before it is on the disk: that tells a torn end from damage.
 */
export const txId = (batchSeq: number, firstSeq: number): string => `tx-${batchSeq}-${firstSeq}`;

export function batchOf(fact: Pick<Fact, "tx" | "seq">): number {
  const found = /^tx-(\d+)-\d+$/.exec(fact.tx);
  return found ? Number(found[1]) : fact.seq;
}
