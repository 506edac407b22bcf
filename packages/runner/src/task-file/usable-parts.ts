import { TaskSection, WorkerSection } from "@multiverse/protocol/task-file";
import type { Tooling } from "@multiverse/protocol/tooling";
import type { NamedVariables } from "./env-references.ts";

/** The parts of a task that are checked against the host; undefined where there is nothing to check. */
export interface HostParts {
  readonly repo: string | undefined;
  readonly prdPath: string | undefined;
  readonly testCwd: string | undefined;
  readonly variables: readonly NamedVariables[];
}

/** Those parts of a task file that are right although others are wrong. */
export function usableParts(value: unknown, tooling: Tooling | null): HostParts {
  const task = TaskSection.shape;
  const { repo, prd, test } = fieldsOf(fieldsOf(value).task);
  const { env } = fieldsOf(fieldsOf(fieldsOf(value).runner).worker);
  return {
    repo: task.repo.safeParse(repo).data,
    prdPath: task.prd.safeParse(prd).data?.path,
    testCwd: task.test.safeParse(test).data?.cwd,
    variables: variablesOf(WorkerSection.shape.env.safeParse(env).data ?? {}, tooling),
  };
}

/** The worker's own variables and those of every candidate that may be chosen: none of a profile that is not in use. */
export function variablesOf(
  env: Readonly<Record<string, string>>,
  tooling: Tooling | null,
): NamedVariables[] {
  const own = { path: "runner.worker.env", values: env };
  if (tooling === null || tooling.force.enabled) return [own];
  const { profiles, activeProfile } = tooling;
  const used = Math.max(
    0,
    profiles.findIndex(({ id }) => id === activeProfile),
  );
  const candidates = Object.entries(profiles[used]?.categories ?? {}).flatMap(([name, category]) =>
    (category?.candidates ?? []).map(({ env: values }, index) => ({
      path: `runner.tooling.profiles.${used}.categories.${name}.candidates.${index}.env`,
      values,
    })),
  );
  return [own, ...candidates];
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
