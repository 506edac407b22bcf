import type { FileSystem } from "../file-system.ts";
import { readView, replaceFile } from "./view-file.ts";

/** The whole lines of a .jsonl view that parse, and whether there is anything else in it. */
export interface Lines {
  readonly texts: string[];
  readonly values: Record<string, unknown>[];
  readonly torn: boolean;
}

export async function readLinesOf(fs: FileSystem, path: string): Promise<Lines> {
  const text = await readView(fs, path);
  if (text === undefined) return { texts: [], values: [], torn: true };
  const pieces = (text ?? "").split("\n");
  const rest = pieces.pop();
  const lines: Lines = { texts: [], values: [], torn: rest !== "" };
  let torn = lines.torn;
  for (const piece of pieces) {
    const value = parse(piece);
    if (!value) {
      torn = true;
      continue;
    }
    lines.texts.push(piece);
    lines.values.push(value);
  }
  return { ...lines, torn };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object"
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Adds lines to a file whose end may be torn. */
export async function addLines(
  fs: FileSystem,
  path: string,
  known: Lines,
  added: readonly string[],
): Promise<void> {
  if (known.torn)
    return replaceFile(fs, path, [...known.texts, ...added].map((line) => `${line}\n`).join(""));
  if (added.length > 0) await fs.appendFile(path, added.map((line) => `${line}\n`).join(""));
}
