import type { z } from "zod";
import { toCamel } from "@multiverse/protocol/case";
import { LIMITS } from "@multiverse/protocol/limits";
import { TaskFile } from "@multiverse/protocol/task-file";
import { Tooling } from "@multiverse/protocol/tooling";
import { withoutEmptyValues } from "./empty-values.ts";
import { mapOlderForms } from "./older-forms.ts";
import type { Mapped } from "./older-forms.ts";
import { parseRestrictedYaml } from "./restricted-yaml.ts";
import type { Position, Problem, YamlText } from "./restricted-yaml.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { usableParts } from "./usable-parts.ts";
import type { HostParts } from "./usable-parts.ts";

/** A task file that has the right shape; nothing outside the text has been looked at yet. */
export interface ParsedTask {
  readonly file: TaskFile;
  readonly tooling: Tooling | null;
  readonly warnings: readonly Problem[];
  positionOf(path: readonly PropertyKey[]): Position | null;
}

/** A task file with problems, and those parts of it that can be checked all the same: nobody wants to hear of them later. */
export interface RefusedTask extends Pick<ParsedTask, "warnings" | "positionOf"> {
  readonly taskId?: string;
  readonly parts: HostParts;
}

export type ReadTask =
  | { task: ParsedTask; problems?: undefined; refused?: undefined }
  | { task?: undefined; problems: Problem[]; refused?: RefusedTask };

/** Bytes of a task file → a task, or everything that is wrong with it. Pure. */
export function readTaskFile(bytes: Uint8Array): ReadTask {
  const text = decode(bytes);
  if (typeof text !== "string") return { problems: [text] };
  const yaml = parseRestrictedYaml(text);
  if (Array.isArray(yaml)) return { problems: yaml };
  const mapped = mapOlderForms(withoutEmptyValues(yaml.value));
  const parsed = TaskFile.safeParse(mapped.value);
  const tooling = readTooling(mapped.value);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => problemOf(issue, mapped, yaml))),
    ...tooling.problems.map((issue) => ({ ...issue, at: yaml.positionOf(issue.path.split(".")) })),
  ];
  const seen = {
    warnings: unknownKeyWarnings(mapped, yaml),
    positionOf: (path: readonly PropertyKey[]) => yaml.positionOf(mapped.origin(path)),
  };
  if (!parsed.success || problems.length > 0) {
    const id = idOf(mapped.value);
    const parts = usableParts(mapped.value, tooling.value);
    return {
      problems: byPlace(problems),
      refused: { ...seen, parts, ...(id === undefined ? {} : { taskId: id }) },
    };
  }
  return { task: { file: toCamel(parsed.data), tooling: tooling.value, ...seen } };
}

function decode(bytes: Uint8Array): string | Problem {
  if (bytes.byteLength > LIMITS.taskFileBytes) {
    return {
      path: "",
      message: `the task is larger than ${LIMITS.taskFileBytes} bytes (1 MiB)`,
      at: null,
    };
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { path: "", message: "the task is not valid UTF-8 text", at: null };
  }
}

function problemOf(issue: z.core.$ZodIssue, mapped: Mapped, yaml: YamlText): Problem {
  const origin = mapped.origin(issue.path);
  return {
    path: origin.map(String).join("."),
    message: sayIssue(issue, valueAt(mapped.value, issue.path)),
    at: yaml.positionOf(origin),
  };
}

function sayIssue(issue: z.core.$ZodIssue, found: unknown): string {
  const path = issue.path.map(String).join(".");
  if (found === undefined && path === "task.prd")
    return "is required: give exactly one of prd.path and prd.text";
  if (found === undefined && path === "version") return "is required and must be 1";
  if (found === undefined && issue.code === "invalid_type") return "is required";
  return issue.message.replace(/^Invalid input: /, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return at;
}

const snake = (key: string): string => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

function readTooling(value: unknown): {
  value: Tooling | null;
  problems: { path: string; message: string }[];
} {
  const raw = valueAt(value, ["runner", "tooling"]);
  if (raw === undefined || raw === null) return { value: null, problems: [] };
  const parsed = Tooling.safeParse(toCamel(raw));
  if (parsed.success) return { value: parsed.data, problems: [] };
  const problems = parsed.error.issues.map((issue) => ({
    path: ["runner", "tooling", ...issue.path.map((step) => snake(String(step)))].join("."),
    message: issue.message.replace(/^Invalid input: /, ""),
  }));
  return { value: null, problems };
}

function unknownKeyWarnings(mapped: Mapped, yaml: YamlText): Problem[] {
  const tooling = toCamel(valueAt(mapped.value, ["runner", "tooling"]));
  const inTooling = unknownKeys(Tooling, tooling).map(({ path, suggestion }) => ({
    path: ["runner", "tooling", ...path.map(snake)],
    suggestion: suggestion && snake(suggestion),
  }));
  return [...unknownKeys(TaskFile, mapped.value), ...inTooling].map(({ path, suggestion }) => ({
    path: path.join("."),
    message: `unknown key ${path.join(".")}${suggestion ? `; did you mean ${suggestion}?` : ""}`,
    at: yaml.positionOf(path, "key"),
  }));
}

/** The id the person wrote, for the report about a task that was refused. */
function idOf(value: unknown): string | undefined {
  const id = valueAt(value, ["task", "id"]);
  return typeof id === "string" &&
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id) &&
    !id.includes("..")
    ? id
    : undefined;
}

export const byPlace = (problems: readonly Problem[]): Problem[] =>
  problems.toSorted(
    (a, b) => (a.at?.line ?? 0) - (b.at?.line ?? 0) || (a.at?.column ?? 0) - (b.at?.column ?? 0),
  );
