import type { WorkspaceApi } from "@multiverse/protocol/http/api";
import { stripEscapes } from "../../text/ansi.ts";
import type { LogLine } from "../../workspace/log-lines.ts";

/** Where the output of an attempt can be read. */
export interface LogSource {
  readonly attemptId: string;
  readonly taskId: string;
}
type ReadLog = WorkspaceApi["attemptLog"];

const PIECE_BYTES = 192 * 1_024;
const ENOUGH_LINES = 300;
/** Beyond every file: an answer from there says how large the file is. */
const BEYOND = Number.MAX_SAFE_INTEGER;

/** The logs that attempts left on disk, read backwards: the newest attempt first, each from its end, a piece at a time. */
export class StoredLog {
  readonly #read: ReadLog;
  readonly #live: (source: LogSource) => readonly LogLine[];
  readonly #waiting: LogSource[];
  #current: { source: LogSource; end: number } | null = null;
  #next = -1;

  /** `newestFirst`: whose logs; `live`: the lines of an attempt the page has already, which are not given again. */
  constructor(
    read: ReadLog,
    newestFirst: readonly LogSource[],
    live: (source: LogSource) => readonly LogLine[],
  ) {
    this.#read = read;
    this.#live = live;
    this.#waiting = [...newestFirst];
  }

  /** Everything there is has been given. */
  get done(): boolean {
    return this.#current === null && this.#waiting.length === 0;
  }

  /** The lines before all that were given so far, oldest first; none when there are no more. */
  async earlier(): Promise<LogLine[]> {
    let found: LogLine[] = [];
    while (!this.done && found.length < ENOUGH_LINES) found = [...(await this.#piece()), ...found];
    return found;
  }

  async #piece(): Promise<LogLine[]> {
    const fresh = this.#current === null;
    const current = this.#current ?? (await this.#open());
    if (current === null) return [];
    const { source, end } = current;
    const start = Math.max(0, end - PIECE_BYTES);
    const { text } = await this.#read(source.attemptId, start);
    const { lines, from } = wholeLines(text, start, end);
    this.#current = from > 0 ? { source, end: from } : null;
    const rows = fresh ? withoutLive(lines, this.#live(source)) : lines;
    return rows.map((row) => this.#line(source, row)).reverse();
  }

  async #open(): Promise<{ source: LogSource; end: number } | null> {
    const source = this.#waiting.shift();
    if (source === undefined) return null;
    const { size } = await this.#read(source.attemptId, BEYOND);
    return { source, end: size };
  }

  #line({ attemptId, taskId }: LogSource, text: string): LogLine {
    const n = this.#next--;
    return { n, taskId, attemptId, stream: "stdout", text, at: "" };
  }
}

/** The whole lines of a piece, newest first, and the byte the first of them begins at. */
function wholeLines(text: string, start: number, end: number): { lines: string[]; from: number } {
  // A piece may begin inside a character: what is left of it came as one mark a byte.
  const broken = start === 0 ? 0 : (/^\ufffd{0,3}/.exec(text)?.[0].length ?? 0);
  const begin = start + broken;
  const bytes = new TextEncoder().encode(text.slice(broken)).subarray(0, end - begin);
  const cut = new TextDecoder().decode(bytes);
  // In the middle of a file the first line is the end of one that begins earlier.
  const head = start === 0 ? 0 : cut.indexOf("\n") + 1;
  const body = cut.slice(head).replace(/\n$/, "");
  const lines = body === "" ? [] : body.split("\n").map(stripEscapes);
  return {
    lines: lines.reverse(),
    from: head === 0 ? start : begin + byteLength(cut.slice(0, head)),
  };
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/**
 * Lines from a file (newest first) without those the page got live. The two end at about the same line: where they fit
 * is looked for from there.
 */
export function withoutLive(newestFirst: string[], live: readonly LogLine[]): string[] {
  if (live.length === 0 || newestFirst.length === 0) return newestFirst;
  const stored = newestFirst.toReversed();
  const likely = stored.length - live.length;
  for (let distance = 0; distance < stored.length + live.length; distance++)
    for (const at of distance === 0 ? [likely] : [likely + distance, likely - distance]) {
      if (at >= stored.length || at + live.length <= 0) continue;
      if (fits(stored, live, at)) return stored.slice(0, Math.max(0, at)).reverse();
    }
  return newestFirst;
}

/** Whether the live lines are those of the file from line `at` on, as far as both go. */
function fits(stored: readonly string[], live: readonly LogLine[], at: number): boolean {
  const to = Math.min(stored.length, at + live.length);
  for (let i = Math.max(0, at); i < to; i++) if (stored[i] !== live[i - at]?.text) return false;
  return true;
}
