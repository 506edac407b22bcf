import { stripEscapes } from "../text/ansi.ts";

export interface LogLine {
  /** Grows by one a line, over all tasks. */
  readonly n: number;
  readonly taskId: string;
  readonly attemptId: string;
  readonly stream: "stdout" | "stderr";
  /** Text with colours only; other escapes are gone. */
  readonly text: string;
  readonly at: string;
}

export const LINES_PER_TASK = 1_000;
export const LINES_IN_ALL = 5_000;
const TASKS_KEPT = 64;

/** A ring over an array: push is O(1), the oldest line goes when it is full. */
class Ring {
  readonly #limit: number;
  #lines: LogLine[] = [];
  #start = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length - this.#start > this.#limit) this.#start += 1;
    if (this.#start > this.#limit) {
      this.#lines = this.#lines.slice(this.#start);
      this.#start = 0;
    }
  }

  lines(): LogLine[] {
    return this.#lines.slice(this.#start);
  }
}

/** The latest log lines in memory, bounded per task, over all tasks and in the number of tasks. */
export class LogLines {
  #all = new Ring(LINES_IN_ALL);
  readonly #tasks = new Map<string, Ring>();
  #count = 0;

  /** Several lines in one are kept as the rows they are. */
  add(line: Omit<LogLine, "n">): void {
    if (!line.text.includes("\n")) return this.#add(line);
    for (const text of line.text.replace(/\n$/, "").split("\n")) this.#add({ ...line, text });
  }

  #add(line: Omit<LogLine, "n">): void {
    this.#count += 1;
    const kept = { ...line, text: stripEscapes(line.text), n: this.#count };
    this.#all.push(kept);
    this.#ringOf(line.taskId).push(kept);
  }

  /** The lines of one task, or the latest of all, oldest first. */
  lines(taskId: string | null): LogLine[] {
    return taskId === null ? this.#all.lines() : (this.#tasks.get(taskId)?.lines() ?? []);
  }

  clear(taskId: string | null): void {
    if (taskId !== null) return void this.#tasks.delete(taskId);
    this.#all = new Ring(LINES_IN_ALL);
    this.#tasks.clear();
  }

  #ringOf(taskId: string): Ring {
    let ring = this.#tasks.get(taskId);
    if (ring === undefined) ring = new Ring(LINES_PER_TASK);
    else this.#tasks.delete(taskId); // put back last: the map's order is the order of use
    this.#tasks.set(taskId, ring);
    if (this.#tasks.size > TASKS_KEPT) {
      const oldest = this.#tasks.keys().next().value;
      if (oldest !== undefined) this.#tasks.delete(oldest);
    }
    return ring;
  }
}
