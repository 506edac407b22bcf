import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import type { Evidence } from "@multiverse/protocol/run-result";
import { look } from "./accounting.ts";
import { askMeta } from "./ask-meta.ts";
import {
  applyAssessment,
  applyEvidence,
  checkCommand,
  criterionResults,
  failing,
} from "./criteria.ts";
import { mayGoOn, warn } from "./run.ts";
import type { Run } from "./run.ts";
import { canceled } from "./run-failure.ts";
import { assessmentRequestOf } from "./situation.ts";
import { lexicallyInside } from "./task-file/inside.ts";
import { createTail } from "./text-tail.ts";

/** Checks, test, assessment, in this order. True if every criterion is passed and the test command exited 0. */
export async function validate(run: Run): Promise<boolean> {
  const { context } = run;
  context.validations += 1;
  context.commands = [];
  const execute = once((command, cwd) => runCheck(run, command, cwd));
  for (const criterion of context.criteria) {
    const command = checkCommand(criterion);
    if (command === null) continue;
    applyEvidence(
      criterion,
      await execute(command, cwdOf(run, criterion.id, criterion.check?.cwd)),
    );
  }
  const { test } = context.task;
  if (test) context.testResult = await execute(test.command, test.cwd);
  await assess(run);
  run.emit({ type: "criteria", criteria: criterionResults(context.criteria) });
  const testPassed = context.testResult === null || context.testResult.exitCode === 0;
  return failing(context.criteria).length === 0 && testPassed;
}

async function assess(run: Run): Promise<void> {
  const { context } = run;
  mayGoOn(run);
  const diffStat = await diffStatOf(run);
  const request = assessmentRequestOf(context, diffStat);
  const answer = await askMeta(run, run.meta.assess(request, run.signal));
  if (run.signal.aborted) throw canceled();
  context.assessment = answer;
  applyAssessment(context.criteria, answer);
}

/** A help for the assessment, not a condition of it. */
async function diffStatOf(run: Run): Promise<string> {
  const now = run.baseline && (await look(run, run.signal));
  if (!run.baseline || !now) return "";
  try {
    return await run.tree.diffStat(run.baseline, now, run.signal);
  } catch (error) {
    if (run.signal.aborted) throw error;
    run.log.warn("the diff stat could not be made", { error });
    return "";
  }
}

type Execute = (command: string, cwd: string) => Promise<Evidence>;

/** Criteria often share a command: the tree does not change between checks, so one answer serves all. */
function once(execute: Execute): Execute {
  const known = new Map<string, Promise<Evidence>>();
  return (command, cwd) => {
    const key = `${cwd}\0${command}`;
    const answer = known.get(key) ?? execute(command, cwd);
    known.set(key, answer);
    return answer;
  };
}

function cwdOf(run: Run, id: string, cwd: string | undefined): string {
  const inside =
    cwd === undefined ? "." : cwd.startsWith("/") ? undefined : lexicallyInside("/", cwd);
  if (inside === undefined)
    warn(
      run,
      `the check of ${id} names a folder outside the project; it runs in the project's root`,
      { cwd },
    );
  return inside ?? ".";
}

/** How a command that was ended from outside shows in the evidence: as a shell would say it. */
const EXIT_CODES = { timeout: 124, idle_timeout: 124, oom: 137 } as const;

async function runCheck(run: Run, command: string, workdir: string): Promise<Evidence> {
  if (run.signal.aborted) throw canceled();
  const tail = createTail(LIMITS.evidenceTailBytes);
  const { end, exitCode, durationMs, detail } = await run.worker.check(
    { command, workdir, timeoutSec: run.context.task.worker.maxRunTimeSec },
    run.signal,
    ({ stream, line }) => {
      tail.add(line);
      run.emit({ type: "output", stream, line });
    },
  );
  if (end === "canceled") throw canceled();
  if (end === "lost") {
    throw new MultiverseError("SANDBOX_FAILED", `the sandbox was lost while \`${command}\` ran`, {
      hint: "Check that Docker is running and has memory and disk left, then run the task again.",
      retryable: true,
    });
  }
  const code = end === "exited" ? (exitCode ?? 255) : EXIT_CODES[end];
  if (end !== "exited") tail.add(end === "oom" ? `[${detail ?? "out of memory"}]` : "[timed out]");
  const evidence: Evidence = {
    command,
    exitCode: code,
    durationMs: Math.round(durationMs),
    tail: tail.text(),
  };
  run.context.commands.push(evidence);
  run.emit({ type: "test", command, exitCode: code, durationMs: evidence.durationMs });
  return evidence;
}
