import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { MultiverseError } from "@multiverse/protocol/error";
import { RecordingEntry, RecordingHeader } from "./entry.ts";

export interface Recording {
  readonly header: RecordingHeader;
  readonly entries: readonly RecordingEntry[];
}

/** Reads a recording. Where several runs were appended to one file, the last one counts. */
export async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw unusable(path, "it cannot be read", cause);
  });
  const lines = text.split("\n").filter((line) => line !== "");
  const start = lines.findLastIndex((line) => line.startsWith('{"kind":"recording"'));
  const [first, ...rest] = start === -1 ? [] : lines.slice(start);
  if (first === undefined) throw unusable(path, "it has no header line");
  const header = parse(RecordingHeader, first, path, start + 1);
  const entries = rest.map((line, index) => parse(RecordingEntry, line, path, start + index + 2));
  return { header, entries };
}

function parse<S extends z.ZodType>(
  schema: S,
  line: string,
  path: string,
  number: number,
): z.output<S> {
  try {
    return schema.parse(JSON.parse(line));
  } catch (cause) {
    throw unusable(path, `line ${number} is not a recorded entry`, cause);
  }
}

const unusable = (path: string, why: string, cause?: unknown): MultiverseError =>
  new MultiverseError(
    "INVALID_INPUT",
    `${JSON.stringify(path)} is not a usable recording: ${why}`,
    {
      hint: "Give --replay a file that was written with --record.",
      ...(cause === undefined ? {} : { cause }),
    },
  );
