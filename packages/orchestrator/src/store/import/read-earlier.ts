import { join } from "node:path";
import { BacklogItem } from "@multiverse/protocol/backlog";
import {
  NodeFile,
  NodesRuntimeFile,
  TasksFile,
  TestsFile,
  WbsFile,
} from "@multiverse/protocol/design-files";
import { AttemptFile, ChatLine, TaskLine } from "@multiverse/protocol/entity-files";
import { idProblem } from "@multiverse/protocol/id";
import { isMissing, type FileSystem } from "../file-system.ts";
import { readLinesOf } from "../views/line-file.ts";
import { readWorkspaceFile } from "../workspace-file.ts";

/** What the files of the earlier implementation hold, as far as it can be read. */
export interface Earlier {
  readonly name: string | null;
  readonly createdAt: string | null;
  readonly wbs: WbsFile | null;
  readonly nodes: readonly NodeFile[];
  readonly runtimes: NodesRuntimeFile["nodes"];
  readonly tasks: TasksFile["tasks"];
  readonly nextTaskNumber: number;
  readonly tests: TestsFile["node_tests"];
  readonly lines: readonly TaskLine[];
  readonly attempts: readonly AttemptFile[];
  readonly backlog: readonly BacklogItem[];
  readonly chat: readonly ChatLine[];
}

/** As much of a schema as reading needs. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: unknown };
}

export type Report = (message: string, error: unknown) => void;

/** Fields that came later. */
const ATTEMPT_DEFAULTS = {
  finishedAt: null,
  errorSummary: null,
  tool: "",
  model: "",
  result: null,
  logPath: "",
};
const BACKLOG_DEFAULTS = {
  taskId: null,
  description: "",
  priority: 3,
  resolvedAt: null,
  resolution: null,
  metadata: {},
};

export async function readEarlier(
  fs: FileSystem,
  dir: string,
  now: Date,
  report: Report,
): Promise<Earlier> {
  const read = <T>(file: string, schema: Schema<T>, defaults = {}) =>
    readJson(fs, join(dir, file), file, schema, defaults, report);
  const readAll = async <T>(folder: string, schema: Schema<T>, defaults = {}): Promise<T[]> => {
    const found: T[] = [];
    for (const id of await idsIn(fs, join(dir, folder), ".json", report)) {
      const value = await read(`${folder}/${id}.json`, schema, { ...defaults, id });
      if (value !== null) found.push(value);
    }
    return found;
  };
  const info = await readWorkspaceFile(fs, dir);
  const tasks = await read("state/tasks.json", TasksFile);
  const fallback = { createdAt: now.toISOString() };
  return {
    name: info?.name ?? null,
    createdAt: info?.created_at ?? null,
    wbs: await read("design/wbs.json", WbsFile),
    nodes: await readAll("design/nodes", NodeFile),
    runtimes: (await read("state/nodes-runtime.json", NodesRuntimeFile))?.nodes ?? [],
    tasks: tasks?.tasks.filter((task) => usable(task.task_id, report)) ?? [],
    nextTaskNumber: tasks?.queue_meta.next_task_id_seq ?? 1,
    tests: (await read("state/tests.json", TestsFile))?.node_tests ?? [],
    lines: await lastLines(fs, dir, fallback, report),
    attempts: await readAll("attempts", AttemptFile, ATTEMPT_DEFAULTS),
    backlog: await readAll("backlog", BacklogItem, BACKLOG_DEFAULTS),
    chat: await chatLines(fs, dir, report),
  };
}

async function readJson<T>(
  fs: FileSystem,
  path: string,
  file: string,
  schema: Schema<T>,
  defaults: object,
  report: Report,
): Promise<T | null> {
  try {
    const value: unknown = JSON.parse((await fs.readFile(path)).toString("utf8"));
    const parsed = schema.safeParse(
      value && typeof value === "object" ? { ...defaults, ...value } : value,
    );
    if (parsed.success) return parsed.data;
    report(`${file} could not be imported`, parsed.error);
  } catch (error) {
    if (!isMissing(error)) report(`${file} could not be imported`, error);
  }
  return null;
}

async function idsIn(
  fs: FileSystem,
  folder: string,
  ending: string,
  report: Report,
): Promise<string[]> {
  const names = (await fs.list(folder)).filter((name) => name.endsWith(ending));
  return names.map((name) => name.slice(0, -ending.length)).filter((id) => usable(id, report));
}

/** Ids become file names again, so one that we would not take from outside is not taken from a file either. */
function usable(id: string, report: Report): boolean {
  const problem = idProblem(id);
  if (problem) report(`${JSON.stringify(id)} was not imported`, new Error(`the id ${problem}`));
  return problem === undefined;
}

/** A task's file has a line per change; the last one counts. */
async function lastLines(
  fs: FileSystem,
  dir: string,
  fallback: { createdAt: string },
  report: Report,
): Promise<TaskLine[]> {
  const found: TaskLine[] = [];
  for (const id of await idsIn(fs, join(dir, "tasks"), ".jsonl", report)) {
    const { values } = await readLinesOf(fs, join(dir, "tasks", `${id}.jsonl`));
    const parsed = TaskLine.safeParse({ ...fallback, ...values.at(-1), id });
    if (parsed.success) found.push(parsed.data);
    else report(`tasks/${id}.jsonl could not be imported`, parsed.error);
  }
  return found;
}

async function chatLines(fs: FileSystem, dir: string, report: Report): Promise<ChatLine[]> {
  const found: ChatLine[] = [];
  for (const id of await idsIn(fs, join(dir, "chat"), ".jsonl", report)) {
    const { values } = await readLinesOf(fs, join(dir, "chat", `${id}.jsonl`));
    for (const value of values) {
      const parsed = ChatLine.safeParse({ sessionId: id, ...value });
      if (parsed.success && usable(parsed.data.id, report))
        found.push({ ...parsed.data, sessionId: id });
      else if (!parsed.success)
        report(`a line of chat/${id}.jsonl could not be imported`, parsed.error);
    }
  }
  return found;
}
