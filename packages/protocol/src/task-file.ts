import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";
import { LIMITS } from "./limits.ts";
import { SuggestedImpl, TestCommand } from "./suggested-impl.ts";
import { Path, Text, Title } from "./text.ts";
import { MetaKindName, WorkerKindName } from "./worker-kind.ts";

/** The Task YAML that agent-runner reads (spec page 10), as it stands in the file: snake_case, defaults filled in. */

const Prd = z
  .object({ path: Path.optional(), text: Text.optional() })
  .refine((prd) => (prd.path === undefined) !== (prd.text === undefined), {
    message: "exactly one of prd.path and prd.text is required",
  });

export const TaskSection = z.object({
  id: Id.optional(),
  title: Title.default(""),
  repo: Path.default("."),
  description: Text.default(""),
  dependencies: z.array(Id).max(LIMITS.dependencies).default([]),
  wbs_level: z.int().min(0).max(3).default(0),
  phase_name: Title.default(""),
  milestone: Title.default(""),
  suggested_impl: SuggestedImpl.optional(),
  prd: Prd,
  test: TestCommand.optional(),
});

const NETWORK_MODES = ["default", "none", "allowlist"] as const;

/** A seconds value people may write as 0 to mean "off". */
const Seconds = z.number().nonnegative().max(604_800);

const MemorySize = z.string().regex(/^\d+(\.\d+)?[bkmg]?$/i, "is not a size such as 512m or 4g");

export const WorkerSection = z.object({
  kind: WorkerKindName.default("codex-cli"),
  model: z.string().max(200).optional(),
  docker_image: z.string().max(500).optional(),
  max_run_time_sec: Seconds.default(1_800),
  idle_timeout_sec: Seconds.default(600),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "is not a variable name"), z.string())
    .default({}),
  auth_path: Path.optional(),
  gateway: z.boolean().default(false),
  cli_path: Path.optional(),
  flags: z.array(z.string().max(1_000)).max(100).default([]),
  network: z.enum(NETWORK_MODES).default("default"),
  allow_hosts: z.array(z.string().max(253)).max(200).default([]),
  memory: MemorySize.default("4g"),
  /** The larger limit of the one more try that a run gets when `memory` was not enough; without it there is none. */
  memory_on_oom: MemorySize.optional(),
  cpus: z.number().positive().max(1_024).default(2),
  sandbox: z.enum(["docker", "local"]).optional(),
});

export const MetaSection = z.object({
  kind: MetaKindName.default("openai-chat"),
  model: z.string().max(200).optional(),
  system_prompt: Text.optional(),
  temperature: z.number().min(0).max(2).optional(),
});

const BudgetSection = z.object({
  max_tokens: z.int().positive().optional(),
  max_usd: z.number().positive().optional(),
  max_minutes: z.number().positive().optional(),
});

const RunnerSection = z.object({
  max_loops: z.int().min(0).max(1_000).default(10),
  meta: MetaSection.default(() => MetaSection.parse({})),
  worker: WorkerSection.default(() => WorkerSection.parse({})),
  budget: BudgetSection.default({}),
  note: z.object({ language: z.enum(["ja", "en"]).default("ja") }).default({ language: "ja" }),
  /** The tooling of page 40 in snake_case; read apart with the Tooling schema, since that one is camelCase. */
  tooling: z.unknown().optional(),
});

export const TaskFile = z.object({
  version: z
    .union([z.literal(1), z.literal("1")], { error: 'must be 1 (or "1")' })
    .transform((): 1 => 1),
  task: TaskSection,
  runner: RunnerSection.default(() => RunnerSection.parse({})),
});
export type TaskFileWire = z.output<typeof TaskFile>;
export type TaskFile = Camel<TaskFileWire>;
export type WorkerSection = Camel<z.output<typeof WorkerSection>>;
export type MetaSection = Camel<z.output<typeof MetaSection>>;
