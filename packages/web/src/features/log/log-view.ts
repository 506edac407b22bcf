import { plainText } from "../../text/ansi.ts";
import type { LogLine } from "../../workspace/log-lines.ts";

export const LOG_STREAMS = ["readable", "all", "stdout", "stderr"] as const;
export type LogStream = (typeof LOG_STREAMS)[number];

export interface LogFilter {
  readonly search: string;
  readonly stream: LogStream;
}

/** An event of a worker's own protocol: what it says stands beside it in words. */
const isProtocolLine = (text: string): boolean => /^\{"type":.*\}$/.test(text);

function isShown(line: LogLine, stream: LogStream): boolean {
  if (stream === "all") return true;
  return stream === "readable" ? !isProtocolLine(line.text) : line.stream === stream;
}

/** The lines a search and a stream let through. */
export function filterLines(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const wanted = filter.search.trim().toLowerCase();
  if (wanted === "" && filter.stream === "all") return lines;
  return lines.filter(
    (line) =>
      isShown(line, filter.stream) &&
      (wanted === "" || plainText(line.text).toLowerCase().includes(wanted)),
  );
}

/** The lines as a file: time, task, text, without colour. */
export function logFile(lines: readonly LogLine[], titleOf: (taskId: string) => string): string {
  return lines
    .map((line) => `${line.at} ${titleOf(line.taskId)} ${line.stream} ${plainText(line.text)}\n`)
    .join("");
}
