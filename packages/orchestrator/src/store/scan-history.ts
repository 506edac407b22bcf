import type { Fact } from "@multiverse/protocol/fact";
import type { FileSystem } from "./file-system.ts";
import { batchOf, crcOf, decodeLine, isIntact, peekLine } from "./history-line.ts";
import type { HistoryPosition } from "./history-files.ts";
import { readLines, type StoredLine } from "./read-lines.ts";
import { tooNew } from "./schema.ts";

/** What is wrong with history, and exactly where. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly problem: string;
}

/** The end of the last file was never acknowledged and can be cut off at `offset`; `seq` is the first fact lost with it. */
export interface Torn {
  readonly file: string;
  readonly offset: number;
  readonly seq: number;
}

export interface ScanEnd {
  readonly end: HistoryPosition | null;
  readonly torn: Torn | null;
  readonly damage: Damage | null;
}

interface Problem {
  /** Where whole transactions end. */
  readonly cut: HistoryPosition;
  readonly seq: number;
  readonly line: StoredLine;
  readonly text: string;
  /** A crash cannot cause this, so it is damage even at the very end. */
  readonly neverTorn?: boolean;
}

/** Takes the facts of one transaction and their size on the disk. False: that is enough. */
export type Accept = (facts: readonly Fact[], bytes: number) => boolean | void;

/** Lines that may stand twice; a repeated one is compared with these. */
const REMEMBERED = 4_096;

/**
 * Reads facts from `from` on, in the order of the files, and hands over whole transactions. Stops at the first line that
 * is not the next fact, and tells whether that is the torn end of an unacknowledged write or damage.
 */
export async function scanHistory(
  fs: FileSystem,
  folder: string,
  files: readonly string[],
  from: { readonly seq: number; readonly offset: number },
  accept: Accept,
): Promise<ScanEnd> {
  const reader = new TransactionReader(from.seq, accept);
  let end: HistoryPosition | null = null;
  for (const [index, file] of files.entries()) {
    const problem = await readInto(reader, fs, folder, file, index === 0 ? from.offset : 0);
    if (problem) return judge(fs, folder, problem, index === files.length - 1);
    end = reader.whole;
    if (reader.enough) break;
  }
  return { end, torn: null, damage: null };
}

/** The first problem of a file, or undefined if all of it, or enough, was read. */
async function readInto(
  reader: TransactionReader,
  fs: FileSystem,
  folder: string,
  file: string,
  start: number,
): Promise<Problem | undefined> {
  reader.enter({ file, offset: start });
  for await (const lines of readLines(fs, folder, file, start)) {
    for (const line of lines) {
      const problem = reader.read(line);
      if (problem) return problem;
      if (reader.enough) return undefined;
    }
  }
  return reader.leave();
}

class TransactionReader {
  enough = false;
  whole: HistoryPosition = { file: "", offset: 0 };
  private next: number;
  private open: Fact[] = [];
  private last: StoredLine | null = null;
  private readonly crcs = new Map<number, string>();
  private bytes = 0;
  private readonly accept: Accept;

  constructor(seq: number, accept: Accept) {
    this.next = seq + 1;
    this.accept = accept;
  }

  enter(position: HistoryPosition): void {
    this.whole = position;
    this.last = null;
  }

  /** A transaction never crosses files: it was one write. */
  leave(): Problem | undefined {
    if (this.open.length === 0 || !this.last) return undefined;
    return this.problem(this.last, "the transaction is not complete");
  }

  read(line: StoredLine): Problem | undefined {
    this.last = line;
    if (!line.ended) return this.problem(line, "the line is cut off");
    if (!isIntact(line.bytes)) return this.problem(line, "the checksum does not match");
    const head = peekLine(line.bytes);
    if (!head) return this.problem(line, "the line is not a fact");
    if (head.v > 1) throw tooNew(`history/${line.file} has facts of version ${head.v}`);
    if (head.seq < this.next) return this.repeated(line, head.seq);
    if (head.seq > this.next)
      return this.problem(line, `seq ${this.next} is missing before seq ${head.seq}`);
    return this.take(line, decodeLine(line.bytes));
  }

  private take(line: StoredLine, fact: Fact): Problem | undefined {
    const first = this.open[0];
    if (fact.i !== this.open.length || (first && (fact.tx !== first.tx || fact.n !== first.n))) {
      return this.problem(line, "the transaction before it is not complete");
    }
    this.open.push(fact);
    this.bytes += line.bytes.length + 1;
    this.crcs.set(fact.seq, crcOf(line.bytes));
    this.crcs.delete(fact.seq - REMEMBERED);
    this.next += 1;
    if (this.open.length < fact.n) return undefined;
    this.enough = this.accept(this.open, this.bytes) === false;
    this.open = [];
    this.bytes = 0;
    this.whole = { file: line.file, offset: line.offset + line.bytes.length + 1 };
    return undefined;
  }

  /** The same line twice says nothing new; another line with the same number does. */
  private repeated(line: StoredLine, seq: number): Problem | undefined {
    if (this.crcs.get(seq) !== crcOf(line.bytes)) {
      return {
        ...this.problem(line, `seq ${seq} stands twice, with different contents`),
        neverTorn: true,
      };
    }
    if (this.open.length === 0)
      this.whole = { file: line.file, offset: line.offset + line.bytes.length + 1 };
    return undefined;
  }

  private problem(line: StoredLine, text: string): Problem {
    return { cut: this.whole, seq: this.next - this.open.length, line, text };
  }
}

async function judge(
  fs: FileSystem,
  folder: string,
  problem: Problem,
  inLastFile: boolean,
): Promise<ScanEnd> {
  const { cut, seq, line } = problem;
  if (inLastFile && !problem.neverTorn && !(await somethingFollows(fs, folder, problem))) {
    return { end: cut, torn: { file: cut.file, offset: cut.offset, seq }, damage: null };
  }
  return {
    end: cut,
    torn: null,
    damage: { file: `history/${line.file}`, offset: line.offset, problem: problem.text },
  };
}

/** Whether an intact line of a later batch stands behind the problem: then the problem's place had been made durable. */
async function somethingFollows(
  fs: FileSystem,
  folder: string,
  { seq, line }: Problem,
): Promise<boolean> {
  for await (const lines of readLines(fs, folder, line.file, line.offset)) {
    for (const later of lines) {
      if (!later.ended || !isIntact(later.bytes)) continue;
      const fact = decodeLine(later.bytes);
      if (batchOf(fact) > seq || (fact.seq <= seq && later.offset > line.offset)) return true;
    }
  }
  return false;
}
