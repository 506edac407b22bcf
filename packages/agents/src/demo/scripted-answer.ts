import type { MetaCall } from "@multiverse/protocol/meta/envelope";
import type { DemoSettings } from "./demo-settings.ts";
import { fillIn, fillInText, languageOf, type Language } from "./fill-in.ts";
import { findPlan, findTask } from "./find-in-script.ts";
import {
  BuildTaskRequest,
  PlanningRequest,
  PlanTaskRequest,
  SituationRequest,
} from "./mock-requests.ts";
import type { Fault, Script, TaskScript } from "./script.ts";
import { workerPrompt } from "./worker-prompt.ts";

export interface ScriptedAnswer {
  readonly payload: unknown;
  readonly delayMs: number;
  readonly faults: readonly Fault[];
}

/** What the script answers to a call. Pure: the same request, the same answer. */
export function scriptedAnswer(
  script: Script,
  settings: DemoSettings,
  call: MetaCall,
  payload: unknown,
): ScriptedAnswer {
  switch (call) {
    case "plan_patch":
      return planPatch(script, payload);
    case "decompose":
      return decompose(script, payload);
    case "plan_task":
      return planTask(script, payload);
    case "build_task":
      return buildTask(script, payload);
    case "next_action":
      return nextAction(script, settings, SituationRequest.parse(payload));
    case "completion_assessment":
      return assessment(script, SituationRequest.parse(payload));
  }
}

function planPatch(script: Script, payload: unknown): ScriptedAnswer {
  const request = PlanningRequest.parse(payload);
  const titles = request.existing_tasks.map(({ title }) => title);
  const found = findPlan(script, request.user_input, titles);
  if (!found)
    return {
      payload: { understanding: "The demo script has no answer to this." },
      delayMs: 0,
      faults: [],
    };
  const { part, language, variables } = found;
  return {
    payload: fillIn(part.answer, language, variables),
    delayMs: part.delay_ms,
    faults: part.faults,
  };
}

/** The same plan in the older form: its new tasks, by phase. */
function decompose(script: Script, payload: unknown): ScriptedAnswer {
  const planned = planPatch(script, payload);
  const { understanding = "", operations = [] } = planned.payload as {
    understanding?: string;
    operations?: { temp_id?: string; phase_name?: string; milestone?: string }[];
  };
  const phases = [...groupByPhase(operations)];
  return {
    ...planned,
    payload: {
      understanding,
      phases: phases.map(([name, tasks]) => ({
        name,
        milestone: tasks[0]?.milestone ?? "",
        tasks: tasks.map(({ temp_id: id, ...task }) => ({ id, ...task })),
      })),
    },
  };
}

function groupByPhase<Operation extends { phase_name?: string }>(
  operations: readonly Operation[],
): Map<string, Operation[]> {
  const phases = new Map<string, Operation[]>();
  for (const operation of operations) {
    const name = operation.phase_name ?? "";
    phases.set(name, [...(phases.get(name) ?? []), operation]);
  }
  return phases;
}

function planTask(script: Script, payload: unknown): ScriptedAnswer {
  const { title } = PlanTaskRequest.parse(payload).task;
  const found = findTask(script, title);
  if (!found)
    return {
      payload: { acceptance_criteria: [{ description: "The worker finishes without an error." }] },
      delayMs: 0,
      faults: [],
    };
  const { part, language, variables } = found;
  const criteria = part.acceptance_criteria.map(({ check, ...criterion }, i) => ({
    id: `AC-${i + 1}`,
    ...criterion,
    ...(check === undefined ? {} : { check: { kind: "command", command: check } }),
  }));
  return {
    payload: { acceptance_criteria: fillIn(criteria, language, variables) },
    delayMs: part.delay_ms,
    faults: part.faults,
  };
}

/** The task that the script will play for this sentence, as its own PRD. */
function buildTask(script: Script, payload: unknown): ScriptedAnswer {
  const { raw_prompt: sentence, task_id: id, title } = BuildTaskRequest.parse(payload);
  const found = findTask(script, title);
  const text = (value: TaskScript["goal"]): string =>
    found ? fillInText(value, found.language, found.variables) : "";
  const criteria = (found?.part.acceptance_criteria ?? []).map(
    ({ description, check }) =>
      `- ${text(description)}${check === undefined ? "" : ` (check: \`${text(check)}\`)`}`,
  );
  const prd = [sentence, text(found?.part.goal ?? ""), "Acceptance criteria:", ...criteria];
  if (criteria.length === 0) prd.push("- The worker finishes without an error.");
  return {
    payload: { task: { id, title, repo: ".", prd: { text: prd.join("\n") } } },
    delayMs: found?.part.delay_ms ?? 0,
    faults: found?.part.faults ?? [],
  };
}

function nextAction(
  script: Script,
  settings: DemoSettings,
  request: SituationRequest,
): ScriptedAnswer {
  const { title } = request.task;
  const found = findTask(script, title);
  const delayMs = found?.part.delay_ms ?? 0;
  const faults = found?.part.faults ?? [];
  const say = WORDS[languageOf(title)];
  const question = found?.part.question;
  if (found && question && request.answers.length === 0 && request.worker_runs_count === 0) {
    const decision = { action: "ask_human", reason: say.ask };
    return {
      payload: { decision, question: fillIn(question, found.language, found.variables) },
      delayMs,
      faults,
    };
  }
  const isDone =
    request.worker_runs_count > 0 && request.acceptance_criteria.every(({ passed }) => passed);
  if (isDone)
    return {
      payload: { decision: { action: "mark_complete", reason: say.done } },
      delayMs,
      faults,
    };
  const run = request.worker_runs_count + 1;
  const situation = { title, run, criteria: request.acceptance_criteria, answers: request.answers };
  const prompt = found ? workerPrompt(found, situation) : `Task: ${title}\nRun: ${run}`;
  const tool_specific = { script: settings.scriptPath ?? "", delay: String(settings.delayFactor) };
  return {
    payload: {
      decision: { action: "run_worker", reason: run === 1 ? say.first : say.again },
      worker_call: { worker_type: "mock", mode: "exec", prompt, tool_specific },
    },
    delayMs,
    faults,
  };
}

/** Honest, as the real one should be: a check decides, the rest follows from how the worker ended. */
function assessment(script: Script, request: SituationRequest): ScriptedAnswer {
  const found = findTask(script, request.task.title);
  const say = WORDS[languageOf(request.task.title)];
  const workerOk = request.last_worker_result.exists && request.last_worker_result.exit_code === 0;
  const byCriterion = request.acceptance_criteria.map(({ id, check, passed }) => {
    const isMet = check === null ? workerOk : passed;
    return { id, status: isMet ? "passed" : "failed", comment: isMet ? say.met : say.notMet };
  });
  const testOk = (request.last_test_result?.exit_code ?? 0) === 0;
  const all = testOk && byCriterion.every(({ status }) => status === "passed");
  const summary = all ? say.allMet : say.notAllMet;
  const payload = { all_criteria_satisfied: all, summary, by_criterion: byCriterion };
  return { payload, delayMs: found?.part.delay_ms ?? 0, faults: found?.part.faults ?? [] };
}

const WORDS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    ask: "A decision is needed that only a person can make.",
    done: "Every criterion is met.",
    first: "Nothing has been done yet.",
    again: "The last run left criteria unmet; the worker gets the failure and tries again.",
    met: "Shown by the check or the run.",
    notMet: "Not shown yet: see the output of the check.",
    allMet: "All criteria are met, and each is backed by a check or a run.",
    notAllMet: "Something is still missing: at least one check failed.",
  },
  ja: {
    ask: "人の判断が必要です。",
    done: "すべての条件を満たしています。",
    first: "まだ何も行われていません。",
    again: "前回の実行では条件を満たせませんでした。失敗の内容を渡してもう一度実行します。",
    met: "チェックまたは実行結果で確認できました。",
    notMet: "まだ確認できません。チェックの出力を見てください。",
    allMet: "すべての条件を満たし、それぞれチェックまたは実行結果の裏付けがあります。",
    notAllMet: "まだ足りないものがあります。少なくとも一つのチェックが失敗しました。",
  },
};
