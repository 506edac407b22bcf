import type { Random } from "@multiverse/protocol/clock";
import { below } from "./random.ts";

type Change = { readonly position: number; readonly bytes: Buffer } | { readonly length: number };

/** What a disk writes at once, as far as a power cut is concerned. */
const SECTOR = 64;

/** One simulated file: what programs see, what is on the disk, and what is on its way. */
export class Inode {
  live: Buffer;
  private synced: Buffer;
  private changes: Change[] = [];

  constructor(content: Buffer = Buffer.alloc(0)) {
    this.live = content;
    this.synced = content;
  }

  write(bytes: Buffer, position: number): void {
    this.change({ position, bytes: Buffer.from(bytes) });
  }

  truncate(length: number): void {
    this.change({ length });
  }

  sync(): void {
    this.synced = this.live;
    this.changes = [];
  }

  /** What is left after a power cut: every change since the last sync is kept, dropped or garbled, each by itself. */
  afterPowerCut(random: Random): Buffer {
    let content = this.synced;
    for (const change of this.changes) {
      const fate = below(random, 3);
      if ("length" in change) {
        if (fate > 0) content = applied(content, change);
      } else if (fate === 1) {
        content = applied(content, change);
      } else if (fate === 2) {
        content = applied(content, {
          position: change.position,
          bytes: garbled(change.bytes, random),
        });
      } else if (random() < 0.5) {
        // The new size reached the disk, the data did not.
        const length = Math.max(content.length, change.position + change.bytes.length);
        content = applied(content, { position: length, bytes: Buffer.alloc(0) });
      }
    }
    return content;
  }

  private change(change: Change): void {
    this.live = applied(this.live, change);
    this.changes.push(change);
  }
}

function applied(content: Buffer, change: Change): Buffer {
  const length =
    "length" in change
      ? change.length
      : Math.max(content.length, change.position + change.bytes.length);
  const next = Buffer.alloc(length);
  content.copy(next, 0, 0, Math.min(length, content.length));
  if ("bytes" in change) change.bytes.copy(next, change.position);
  return next;
}

/** Sector by sector: as written, zeros, or noise. */
function garbled(bytes: Buffer, random: Random): Buffer {
  const result = Buffer.from(bytes);
  for (let start = 0; start < result.length; start += SECTOR) {
    const fate = below(random, 3);
    const end = Math.min(result.length, start + SECTOR);
    if (fate === 1) result.fill(0, start, end);
    if (fate === 2) for (let i = start; i < end; i += 1) result[i] = below(random, 256);
  }
  return result;
}
