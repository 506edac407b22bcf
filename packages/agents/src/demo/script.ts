import { MultiverseError } from "@multiverse/protocol/error";
import { META_CALLS } from "@multiverse/protocol/meta/envelope";
import { parse } from "yaml";
import { z } from "zod";

/** What the demo agent says and does, as data. Text may be given in two languages; `{{name}}` stands for a variable. */
const Text = z.union([z.string(), z.strictObject({ en: z.string(), ja: z.string() })]);

const Pattern = z.string().superRefine((source, ctx) => {
  try {
    new RegExp(source, "iu");
  } catch (error) {
    ctx.addIssue({
      code: "custom",
      message: error instanceof Error ? error.message : "bad pattern",
    });
  }
});

const Ms = z.number().nonnegative().max(3_600_000);

/** Something that goes wrong with a call, the first `times` times it is made. */
const Fault = z.strictObject({
  call: z.enum(META_CALLS).optional(),
  kind: z.enum(["rate_limit", "garbage", "unavailable"]),
  after_sec: z.number().nonnegative().default(2),
  text: z.string().default("Certainly! I would be glad to help with that."),
  times: z.int().positive().default(1),
});
export type Fault = z.output<typeof Fault>;

/** An answer to a chat message. The first whose `match` fits the message (and `existing` a task's title) is given. */
const Plan = z.strictObject({
  match: Pattern,
  existing: Pattern.optional(),
  delay_ms: Ms.default(0),
  faults: z.array(Fault).default([]),
  answer: z.record(z.string(), z.unknown()),
});
export type Plan = z.output<typeof Plan>;

/** What one run of the worker does, in this order. */
export const Run = z.strictObject({
  /** Before each step. */
  delay_ms: Ms.default(0),
  /** Refused the first time in this project, as if the account's limit were reached. */
  rate_limit_sec: z.number().nonnegative().optional(),
  think: z.array(Text).default([]),
  say: z.array(Text).default([]),
  files: z.record(z.string(), Text).default({}),
  delete: z.array(z.string()).default([]),
  /** Really run, in a shell, in the project; their exit codes change nothing. */
  commands: z.array(z.string()).default([]),
  /** Printed as it is. */
  garbage: z.string().optional(),
  /** Goes silent and never ends. */
  hang: z.boolean().default(false),
  /** The run says of itself that it failed. */
  fail: Text.optional(),
  exit_code: z.int().min(0).max(255).default(0),
  summary: Text.default("Done."),
});
export type Run = z.output<typeof Run>;

/** How a task goes, found by its title. Named groups of `match` become variables. */
const TaskScript = z.strictObject({
  match: Pattern,
  delay_ms: Ms.default(0),
  goal: Text,
  constraints: z.array(Text).default([]),
  acceptance_criteria: z
    .array(
      z.strictObject({
        description: Text,
        type: z.string().optional(),
        critical: z.boolean().optional(),
        check: z.string().optional(),
      }),
    )
    .min(1),
  question: z.strictObject({ text: Text, options: z.array(Text).default([]) }).optional(),
  faults: z.array(Fault).default([]),
  /** The n-th run of the task; the last one is repeated. */
  runs: z.array(Run).min(1),
});
export type TaskScript = z.output<typeof TaskScript>;

export const Script = z.strictObject({
  version: z.literal(1),
  plans: z.array(Plan).default([]),
  tasks: z.array(TaskScript).default([]),
});
export type Script = z.output<typeof Script>;

export function parseScript(yaml: string, name: string): Script {
  const parsed = Script.safeParse(parsedYaml(yaml, name));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw broken(name, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

function parsedYaml(yaml: string, name: string): unknown {
  try {
    return parse(yaml, { schema: "core", maxAliasCount: 0 });
  } catch (error) {
    throw broken(name, error instanceof Error ? error.message : "not YAML");
  }
}

export const broken = (name: string, why: string): MultiverseError =>
  new MultiverseError("INVALID_INPUT", `the demo script ${name} cannot be used: ${why}`, {
    hint: "Correct the script, or unset MULTIVERSE_MOCK_SCRIPT to use the one that comes with the product.",
  });
