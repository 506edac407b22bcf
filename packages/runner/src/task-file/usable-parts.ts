import { TaskSection, WorkerSection } from "@multiverse/protocol/task-file";

/** The parts of a task that are checked against the host; undefined where there is nothing to check. */
export interface HostParts {
  readonly repo: string | undefined;
  readonly prdPath: string | undefined;
  readonly testCwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

/** Those parts of a task file that are right although others are wrong. */
export function usableParts(value: unknown): HostParts {
  const task = TaskSection.shape;
  const { repo, prd, test } = fieldsOf(fieldsOf(value).task);
  const { env } = fieldsOf(fieldsOf(fieldsOf(value).runner).worker);
  return {
    repo: task.repo.safeParse(repo).data,
    prdPath: task.prd.safeParse(prd).data?.path,
    testCwd: task.test.safeParse(test).data?.cwd,
    env: WorkerSection.shape.env.safeParse(env).data ?? {},
  };
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
