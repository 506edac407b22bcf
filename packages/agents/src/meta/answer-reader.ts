import { LIMITS } from "@multiverse/protocol/limits";
import { openEnvelope, type MetaCall } from "@multiverse/protocol/meta/envelope";
import type { z } from "zod";
import { balancedBlocks, firstFence, fromLine } from "./answer-candidates.ts";
import { tidy } from "./plain-value.ts";
import { parseRestrictedYaml, type Parsed } from "./restricted-yaml.ts";

/** What came back from a provider: its text, and the document it was made to follow a schema with, if any. */
export interface RawAnswer {
  readonly text: string;
  readonly structured?: unknown;
}

export type Reading<Answer> = { readonly answer: Answer } | { readonly problem: string };

/**
 * Finds the answer in what a model said: its structured output, the whole text as JSON, the first fenced block, the
 * first balanced braces, the text from the first `type:` line. The first of these that follows the schema counts;
 * otherwise the problem of the first that could be read at all is told, so that the model can mend it. Never throws.
 */
export function readAnswer<Schema extends z.ZodType>(
  call: MetaCall,
  schema: Schema,
  raw: RawAnswer,
): Reading<z.output<Schema>> {
  const tooLarge = `the answer is larger than ${LIMITS.metaAnswerBytes / 1_048_576} MiB`;
  if (Buffer.byteLength(raw.text) > LIMITS.metaAnswerBytes) return { problem: tooLarge };

  let unusable: string | null = null;
  let unreadable: string | null = null;
  for (const parsed of candidates(call, raw)) {
    if ("problem" in parsed) {
      unreadable ??= parsed.problem;
      continue;
    }
    const checked = check(call, schema, parsed.value);
    if ("answer" in checked) return checked;
    unusable ??= checked.problem;
  }
  if (raw.text.trim() === "" && unusable === null) return { problem: "the answer is empty" };
  return { problem: unusable ?? unreadable ?? "the answer holds no JSON document" };
}

/** The possible documents in order of trust, each read only when the ones before did not do. */
function* candidates(call: MetaCall, { text, structured }: RawAnswer): Generator<Parsed> {
  if (structured !== undefined && structured !== null) yield fromStructured(structured);
  const trimmed = text.trim();
  const whole = parseJson(trimmed);
  if ("value" in whole) yield whole;

  const seen = new Set([trimmed]);
  const blocks = balancedBlocks(text);
  for (const part of [firstFence(text), ...blocks.slice(0, 2)]) {
    if (part === null || seen.has(part.trim())) continue;
    seen.add(part.trim());
    yield parse(part);
  }
  for (const block of blocks.slice(2)) yield parseJson(block);
  for (const name of FIRST_LINES[call] ?? ["type:"]) {
    const document = fromLine(text, name);
    if (document !== null) yield parse(document);
  }
  yield whole;
  // Almost JSON (a comma too many, single quotes) is often YAML.
  if (trimmed.startsWith("{")) yield parseRestrictedYaml(trimmed);
}

/** How an answer in YAML begins, where that is not only `type:`. A task file has neither fence nor type. */
const FIRST_LINES: Partial<Record<MetaCall, readonly string[]>> = {
  build_task: ["type:", "version:", "task:"],
};

function fromStructured(structured: unknown): Parsed {
  try {
    return parseJson(JSON.stringify(structured) ?? "");
  } catch {
    return { problem: "the structured output cannot be read" };
  }
}

function parse(text: string): Parsed {
  const json = parseJson(text);
  if ("value" in json) return json;
  const yaml = parseRestrictedYaml(text);
  // Text that YAML takes for one long string is no document.
  if ("value" in yaml && typeof yaml.value === "object" && yaml.value !== null) return yaml;
  return text.trimStart().startsWith("{") || "value" in yaml ? json : yaml;
}

function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    return {
      problem: `not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : ""}`,
    };
  }
}

function check<Schema extends z.ZodType>(
  call: MetaCall,
  schema: Schema,
  value: unknown,
): Reading<z.output<Schema>> {
  const untidy = tidy(value);
  if (untidy !== null) return { problem: `the answer is ${untidy}` };
  const opened = openEnvelope(call, value);
  if ("problem" in opened) return opened;
  const parsed = schema.safeParse(opened.payload);
  return parsed.success ? { answer: parsed.data } : { problem: explain(parsed.error) };
}

const MOST_ISSUES = 10;

/** The issues in words short enough to be quoted back to the model. */
function explain(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, MOST_ISSUES)
    .map(
      ({ path, message }) =>
        `${path.join(".").slice(0, 200) || "payload"}: ${message.slice(0, 300)}`,
    );
  const more = error.issues.length - lines.length;
  return `${lines.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
