import type { z } from "zod";
import { RunEvent } from "@multiverse/protocol/run-event";
import { TaskFile } from "@multiverse/protocol/task-file";
import { RecordingEntry, RecordingHeader } from "../recording/entry.ts";

/** The parts of a schema that other schemas or words hang on, whatever its type. */
interface Parts {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
}

let known: ReadonlySet<string> | null = null;

/**
 * The names and fixed words that events, results, recordings and task files are made of. A variable may hold one of them
 * (`NODE_ENV=test`, `LOG_LEVEL=info`): hiding it would tell nobody less and leave lines that no program can read.
 */
export function vocabulary(): ReadonlySet<string> {
  if (known) return known;
  const words = new Set<string>();
  for (const schema of [RunEvent, RecordingEntry, RecordingHeader, TaskFile])
    collect(schema, words);
  known = new Set([...words, ...[...words].map(camel)]);
  return known;
}

function collect(schema: z.core.$ZodType, words: Set<string>): void {
  const def: z.core.$ZodTypeDef & Parts = schema._zod.def;
  for (const name of Object.keys(def.shape ?? {})) words.add(name);
  for (const word of [...Object.values(def.entries ?? {}), ...(def.values ?? [])])
    if (typeof word === "string") words.add(word);
  const inner = [def.innerType, def.element, def.left, def.right, def.in];
  for (const part of [...Object.values(def.shape ?? {}), ...(def.options ?? []), ...inner])
    if (part) collect(part, words);
}

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
