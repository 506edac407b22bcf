import { constants } from "node:fs";
import { access, mkdtemp, open, realpath, rmdir, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { LIMITS } from "@multiverse/protocol/limits";
import type { MetaSection, TaskFile, WorkerSection } from "@multiverse/protocol/task-file";
import type { SuggestedImpl, TestCommand } from "@multiverse/protocol/suggested-impl";
import type { Tooling } from "@multiverse/protocol/tooling";
import { systemCode } from "@multiverse/protocol/system-code";
import { missingReferences } from "./env-references.ts";
import type { Env } from "./env-references.ts";
import { lexicallyInside, reallyInside } from "./inside.ts";
import type { ParsedTask } from "./read-task-file.ts";
import type { Problem } from "./restricted-yaml.ts";
import { variablesOf } from "./usable-parts.ts";
import type { HostParts } from "./usable-parts.ts";

/** A task that can be run: checked against the host it will run on. */
export interface ResolvedTask {
  readonly id: string;
  readonly title: string;
  readonly repoPath: string;
  readonly description: string;
  readonly dependencies: readonly string[];
  readonly wbsLevel: number;
  readonly phaseName: string;
  readonly milestone: string;
  readonly suggestedImpl: SuggestedImpl | null;
  readonly prdText: string;
  readonly test: TestCommand | null;
  readonly maxLoops: number;
  readonly meta: MetaSection;
  /** `env` still holds the references; values are looked up when the sandbox starts. */
  readonly worker: WorkerSection;
  readonly budget: TaskFile["runner"]["budget"];
  readonly noteLanguage: "ja" | "en";
  readonly tooling: Tooling | null;
}

export interface Host {
  readonly cwd: string;
  readonly env: Env;
  readonly newTaskId: () => Promise<string>;
  /** A replay needs neither keys nor a place to write code into. */
  readonly checkEnv: boolean;
}

/** Looks at the host: repo, PRD, variables. Gives all problems at once; changes nothing. */
export async function resolveTask(
  parsed: ParsedTask,
  host: Host,
): Promise<ResolvedTask | Problem[]> {
  const { task, runner } = parsed.file;
  const parts = {
    repo: task.repo,
    prdPath: task.prd.path,
    testCwd: task.test?.cwd,
    variables: variablesOf(runner.worker.env, parsed.tooling),
  };
  const { repo, prd, problems } = await lookAtHost(parts, parsed, host);
  if (repo === null || prd === null || problems.length > 0) return problems;
  return {
    id: task.id ?? (await host.newTaskId()),
    title: task.title,
    repoPath: repo.path,
    description: task.description,
    dependencies: task.dependencies,
    wbsLevel: task.wbsLevel,
    phaseName: task.phaseName,
    milestone: task.milestone,
    suggestedImpl: task.suggestedImpl ?? null,
    prdText: task.prd.text ?? prd.text,
    test: task.test ?? null,
    maxLoops: runner.maxLoops,
    meta: runner.meta,
    worker: runner.worker,
    budget: runner.budget,
    noteLanguage: runner.note.language,
    tooling: parsed.tooling,
  };
}

interface Seen {
  readonly repo: { path: string } | null;
  readonly prd: { text: string } | null;
  readonly problems: Problem[];
}

/** What the host has to say about those parts of a task that depend on it. */
export async function lookAtHost(
  { repo: named, prdPath, testCwd, variables }: HostParts,
  { positionOf }: Pick<ParsedTask, "positionOf">,
  host: Omit<Host, "newTaskId">,
): Promise<Seen> {
  const repo = named === undefined ? null : await resolveRepo(resolve(host.cwd, named));
  const root = repo && "path" in repo ? repo : null;
  const prd =
    prdPath === undefined || root === null ? { text: "" } : await readPrd(root.path, prdPath);
  const problems: Omit<Problem, "at">[] = [
    ...(repo && "message" in repo ? [{ path: "task.repo", message: repo.message }] : []),
    ...("message" in prd ? [{ path: "task.prd.path", message: prd.message }] : []),
    ...testProblems(testCwd),
    ...(host.checkEnv ? variables.flatMap((each) => missingReferences(each, host.env)) : []),
  ];
  return {
    repo: root,
    prd: "message" in prd ? null : prd,
    problems: problems.map((problem) => ({ ...problem, at: positionOf(problem.path.split(".")) })),
  };
}

async function resolveRepo(path: string): Promise<{ path: string } | { message: string }> {
  const shown = JSON.stringify(path);
  const info = await stat(path).catch((error: unknown) => codeOf(error));
  if (info === "ENOENT") return { message: `the repo ${shown} does not exist` };
  if (typeof info === "string") return { message: `the repo ${shown} cannot be read (${info})` };
  if (!info.isDirectory()) return { message: `the repo ${shown} is not a directory` };
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const real = await realpath(path);
    await probeAsRoot(real);
    return { path: real };
  } catch (error) {
    return { message: `the repo ${shown} cannot be written (${codeOf(error)})` };
  }
}

/** The system's word for what went wrong; anything without one is a bug. */
function codeOf(error: unknown): string {
  const code = systemCode(error);
  if (code === "") throw error;
  return code;
}

/** Root passes every permission check, so only trying tells whether the folder takes files. */
async function probeAsRoot(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  await rmdir(await mkdtemp(join(path, ".agent-runner-probe-")));
}

async function readPrd(
  repo: string,
  named: string,
): Promise<{ text: string } | { message: string }> {
  const shown = JSON.stringify(named);
  try {
    const path = await reallyInside(repo, named);
    if (path === undefined) return { message: `the PRD path ${shown} leaves the repo` };
    return await readText(path, shown);
  } catch (error) {
    return { message: `the PRD ${shown} cannot be read (${codeOf(error)})` };
  }
}

async function readText(
  path: string,
  shown: string,
): Promise<{ text: string } | { message: string }> {
  // Without O_NONBLOCK a pipe in place of the file would be waited for without end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    if (!info.isFile()) return { message: `the PRD ${shown} is not a regular file` };
    if (info.size > LIMITS.taskFileBytes)
      return { message: `the PRD ${shown} is larger than 1 MiB` };
    return { text: (await file.readFile("utf8")).replace(/^\uFEFF/, "") };
  } finally {
    await file.close();
  }
}

function testProblems(cwd: string | undefined): Omit<Problem, "at">[] {
  if (cwd === undefined || (!isAbsolute(cwd) && lexicallyInside(".", cwd) !== undefined)) return [];
  return [{ path: "task.test.cwd", message: `${JSON.stringify(cwd)} leaves the repo` }];
}
