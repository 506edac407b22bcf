import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { Candidate } from "@multiverse/protocol/tooling";
import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { Usage } from "@multiverse/protocol/usage";
import type { AgentCli, CliFailure, CliRequest } from "../cli/agent-cli.ts";
import { modelFor } from "../cli/model.ts";
import type { SandboxHandle } from "../sandbox/sandbox.ts";
import type { Chooser } from "../tooling/chooser.ts";
import { chooseOrWait, createWaitBudget } from "../tooling/wait-for-candidate.ts";
import type { WorkerRunResult } from "../worker.ts";
import { choiceOf, cliFor, loginFor } from "./candidates.ts";
import { chooserFor, whyNobody } from "./choosing.ts";
import { failureOfEnd, runCli, type CliRun } from "./cli-run.ts";
import { handover } from "./handover.ts";
import { createLineSampler } from "./line-sampler.ts";
import { modelNamed, requestFor } from "./request.ts";
import type { SandboxPool } from "./sandbox-pool.ts";
import type { SecretBook } from "./secret-book.ts";
import { makeRoom } from "./out-of-memory.ts";
import { limitedResult, merged } from "./step-result.ts";
import type { WorkerOptions } from "./worker-options.ts";

/** What a worker keeps between its steps. */
export interface WorkerMemory {
  readonly options: WorkerOptions;
  readonly pool: SandboxPool;
  readonly secrets: SecretBook;
  /** The last session of each tool, for `resume`. */
  readonly sessions: Map<string, string>;
  readonly usageOfRun: (cli: AgentCli, sessionId: string | null, reported: Usage) => Usage;
  readonly warnOnce: (message: string) => void;
  /** Who was chosen when the worker was opened, for its first step. */
  opened: { readonly chooser: Chooser; readonly candidate: Candidate } | null;
}

/**
 * One step: the chosen CLI works; if it is rate limited the next candidate goes on with the same tree, told what was
 * done so far. Ends with the first that was not limited, or when nobody comes back soon enough.
 */
export async function runStep(
  memory: WorkerMemory,
  call: WorkerCall,
  signal: AbortSignal,
): Promise<WorkerRunResult> {
  const { options } = memory;
  const opened = await takeOpened(memory, call);
  const chooser = opened?.chooser ?? chooserFor(options, call);
  const wait = createWaitBudget(options.clock);
  const before: WorkerRunResult[] = [];
  for (;;) {
    const isFirst = opened !== null && before.length === 0;
    const { candidate, ...nobody } = isFirst ? opened : await chooseOrWait(chooser, wait, signal);
    if (candidate === null) {
      const retryAt = "retryAt" in nobody ? nobody.retryAt : null;
      if (retryAt === null && before.length === 0) throw whyNobody(options, call);
      return limitedResult(options, before, retryAt);
    }
    let result: WorkerRunResult;
    try {
      const onLimited = (): void => void prepareNext(memory, chooser, candidate, signal);
      result = await runCandidate(memory, candidate, call, before, onLimited, signal);
    } catch (error) {
      await chooser.settle(candidate, "unknown");
      throw error;
    }
    const verdict = verdictOn(result);
    await chooser.settle(candidate, verdict, result.failure?.retryAt ?? null);
    if (result.failure?.kind === "oom" && (await makeRoomForStep(memory))) {
      before.push(result);
      continue;
    }
    if (verdict !== "limited") return merged(before, result);
    memory.warnOnce(`${result.tool} is rate limited: ${result.failure?.message ?? ""}`);
    before.push(result);
    if (wait.isUsedUp()) return limitedResult(options, before, null);
  }
}

function verdictOn({ failure }: WorkerRunResult): "limited" | "unknown" | "answered" {
  if (failure?.kind === "rate_limited") return "limited";
  return failure?.kind === "aborted" || failure?.kind === "oom" ? "unknown" : "answered";
}

/** The sessions were in the home of the sandbox that is given up for a larger one. */
async function makeRoomForStep({ pool, options, sessions }: WorkerMemory): Promise<boolean> {
  if (!(await makeRoom(pool, options))) return false;
  sessions.clear();
  return true;
}

/** The choice made at opening, if this call may be done by it; else it is given back. */
async function takeOpened(memory: WorkerMemory, call: WorkerCall): Promise<WorkerMemory["opened"]> {
  const { options, opened } = memory;
  memory.opened = null;
  if (opened === null) return null;
  const tools = choiceOf(options, call).candidates.map(({ tool }) => tool);
  if (tools.includes(opened.candidate.tool)) return opened;
  await opened.chooser.settle(opened.candidate, "unknown");
  return null;
}

/** While a CLI that is limited is still being ended, the sandbox of the one that takes over can already start. */
async function prepareNext(
  memory: WorkerMemory,
  chooser: Chooser,
  limited: Candidate,
  signal: AbortSignal,
): Promise<void> {
  try {
    const next = await chooser.after(limited);
    if (next) await prepare(memory, next, signal);
  } catch {
    // It will be tried again when its turn comes, and then its error counts.
  }
}

/** The candidate's sandbox, started if need be. */
export async function prepare(
  { options, pool, secrets }: WorkerMemory,
  candidate: Candidate,
  signal: AbortSignal,
) {
  const cli = cliFor(options, candidate);
  const login = loginFor(options, candidate);
  secrets.learn(login);
  const start = (): Promise<SandboxHandle> => pool.handleFor(candidate, cli, login, signal);
  try {
    return { cli, login, handle: await start() };
  } catch (error) {
    const isTooSmall = error instanceof MultiverseError && error.code === "OUT_OF_MEMORY";
    if (!isTooSmall || !(await makeRoom(pool, options))) throw error;
    return { cli, login, handle: await start() };
  }
}

async function runCandidate(
  memory: WorkerMemory,
  candidate: Candidate,
  call: WorkerCall,
  before: readonly WorkerRunResult[],
  onLimited: () => void,
  signal: AbortSignal,
): Promise<WorkerRunResult> {
  const { options, sessions } = memory;
  const { clock, report } = options;
  const { cli, login, handle } = await prepare(memory, candidate, signal);
  const { model, warning } = modelFor(cli, modelNamed(options, candidate, call));
  if (warning) memory.warnOnce(warning);
  const { tool } = candidate;
  const sessionId = sessions.get(tool) ?? null;
  const prompt = handover(call.prompt, before);
  const request = requestFor(options, {
    cli,
    candidate,
    call,
    prompt,
    handle,
    login,
    model,
    sessionId,
  });
  const run = { id: options.newId("run"), tool, model };
  const startedAt = clock.now().toISOString();
  report({ type: "worker", phase: "started", runId: run.id, tool, model });
  const ran = await callCli(memory, run.id, cli, request, handle, onLimited, signal);
  const { exec, outcome } = ran;
  if (outcome.sessionId) sessions.set(tool, outcome.sessionId);
  const ended = failureOfEnd(exec, { ...request, memory: memory.pool.memory() });
  const failure = withHint(cli, ended ?? outcome.failure);
  const result: WorkerRunResult = {
    ...run,
    startedAt,
    finishedAt: clock.now().toISOString(),
    exitCode: exec.exitCode,
    succeeded: failure === null,
    rawOutput: ran.rawOutput,
    outputLength: ran.outputLength,
    summary: (ended === null && outcome.summary) || (failure?.message ?? ""),
    failure,
    files: outcome.files,
    usage: memory.usageOfRun(cli, outcome.sessionId, outcome.usage),
    sessionId: outcome.sessionId,
  };
  report(completed(result, exec.durationMs));
  if (exec.end === "lost") await endLost(memory, handle, failure);
  return result;
}

function completed(result: WorkerRunResult, durationMs: number): RunEventOf<"worker"> {
  const { id, tool, model, exitCode, summary, files, usage } = result;
  const about = { runId: id, tool, model, exitCode, summary, files: [...files] };
  return { type: "worker", phase: "completed", ...about, durationMs, usage };
}

async function callCli(
  { options, secrets }: WorkerMemory,
  runId: string,
  cli: AgentCli,
  request: CliRequest,
  handle: SandboxHandle,
  onLimited: () => void,
  signal: AbortSignal,
): Promise<CliRun> {
  const { clock, report } = options;
  const sampler = createLineSampler(
    (line) => report({ type: "output", ...line }),
    () => clock.monotonic(),
  );
  const ran = await runCli(cli, request, handle, secrets.mask(), () => clock.now(), signal, {
    onLimited,
    onEvent: (event) => report({ type: "worker_event", runId, ...event }),
    onLine(line, isEvent) {
      options.onOutput?.(line);
      if (!isEvent) sampler.add(line); // else whoever follows the run would see the same thing twice
    },
  });
  sampler.end();
  return ran;
}

async function endLost(
  { pool }: WorkerMemory,
  handle: SandboxHandle,
  failure: CliFailure | null,
): Promise<never> {
  await pool.forget(handle);
  throw new MultiverseError("SANDBOX_FAILED", failure?.message ?? "the sandbox was lost", {
    hint: "The worker did nothing wrong. Check that Docker is running, and run the task again.",
    retryable: true,
  });
}

const withHint = (cli: AgentCli, failure: CliFailure | null): CliFailure | null =>
  failure?.kind === "login"
    ? { ...failure, message: `${failure.message} — ${cli.login.hint}` }
    : failure;
