import { isAbsolute } from "node:path";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import { workerKind } from "@multiverse/protocol/worker-kind";
import { lexicallyInside } from "./task-file/inside.ts";
import type { ResolvedTask } from "./task-file/resolve-task.ts";

export interface NarrowedCall {
  readonly call: WorkerCall;
  /** What was asked for and not given, in words. */
  readonly dropped: readonly string[];
}

const CONTAINER_PROJECT = "/workspace/project";

/** Takes from a worker call what the task file does not allow: a model must not widen its own sandbox. Pure. */
export function narrowWorkerCall(
  call: WorkerCall,
  task: Pick<ResolvedTask, "worker" | "repoPath">,
): NarrowedCall {
  const { worker } = task;
  const dropped: string[] = [];
  const { cliPath, workdir, workerType, ...rest } = call;
  const narrowed: WorkerCall = { ...rest, flags: [], env: {} };

  if (cliPath !== undefined) {
    if (cliPath === worker.cliPath) narrowed.cliPath = cliPath;
    else dropped.push(`cli_path ${JSON.stringify(cliPath)} is not the task file's`);
  }
  if (call.flags.length > 0) {
    if (sameList(call.flags, worker.flags)) narrowed.flags = call.flags;
    else dropped.push("flags are not the task file's");
  }
  for (const [name, value] of Object.entries(call.env)) {
    const own = Object.hasOwn(worker.env, name) ? worker.env[name] : undefined;
    if (own === undefined)
      dropped.push(`env ${JSON.stringify(name)} is not named in the task file`);
    else if (value.startsWith("env:") && value !== own)
      dropped.push(`env ${JSON.stringify(name)} refers to another host variable`);
    else if (value !== own) narrowed.env[name] = value;
  }
  if (workdir !== undefined) {
    const inside = insideProject(workdir, task.repoPath);
    if (inside === undefined)
      dropped.push(`workdir ${JSON.stringify(workdir)} is outside the project`);
    else narrowed.workdir = inside;
  }
  if (workerType !== undefined) {
    const problem = typeProblem(workerType, worker);
    if (problem === null) narrowed.workerType = workerType;
    else if (problem !== "") dropped.push(problem);
  }
  return { call: narrowed, dropped };
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

function insideProject(workdir: string, repoPath: string): string | undefined {
  if (!isAbsolute(workdir)) return lexicallyInside("/", workdir);
  return [repoPath, CONTAINER_PROJECT]
    .map((root) => lexicallyInside(root, workdir))
    .find((path) => path !== undefined);
}

/** Null: fine. Empty: passed over without a word, since models name a tool by habit and the demo has only one. */
function typeProblem(name: string, worker: ResolvedTask["worker"]): string | null {
  const kind = workerKind(name);
  if (kind === worker.kind) return null;
  if (kind === undefined) return `worker_type ${JSON.stringify(name)} is not known`;
  if (worker.kind === "mock") return "";
  if (kind === "mock" || worker.sandbox === "local")
    return `worker_type ${JSON.stringify(name)} does not fit the task's sandbox`;
  return null;
}
