import { stringify } from "yaml";
import { createMask } from "@multiverse/agents/secrets";
import { toSnake } from "@multiverse/protocol/case";
import { vocabulary } from "../output/vocabulary.ts";
import { secretsOfTask } from "../secrets-of-task.ts";
import { referenceOf } from "../task-file/env-references.ts";
import type { ResolvedTask } from "../task-file/resolve-task.ts";
import type { Command } from "./agent-runner.ts";
import { describePlan } from "./describe-plan.ts";
import type { LoadedTask } from "./load-task.ts";

/** Prints what a run would be made of, and runs nothing. */
export async function dryRun(
  { host, options }: Command,
  { task, warnings }: LoadedTask,
): Promise<number> {
  const mask = createMask(secretsOfTask(task, host.env), vocabulary());
  const plan = await describePlan(task, options.metaModel);
  const shown = mask.maskDeep({ ...taskShown(task), exec_plan: plan });
  for (const warning of warnings)
    host.stderr.write(`agent-runner: warning: ${mask.mask(warning)}\n`);
  const text = options.json ? JSON.stringify(shown) : stringify(shown, { lineWidth: 0 }).trimEnd();
  host.stdout.write(`${text}\n`);
  return 0;
}

/** The task as a task file would say it, every default filled in. */
function taskShown(task: ResolvedTask) {
  const { maxLoops, meta, worker, budget, noteLanguage, tooling, repoPath, prdText, ...rest } =
    task;
  const env = Object.fromEntries(
    Object.entries(worker.env).map(([name, value]) => [name, envShown(name, value)]),
  );
  return {
    version: 1,
    task: toSnake({ ...rest, repo: repoPath, prd: { text: prdText } }),
    runner: {
      ...toSnake({
        maxLoops,
        meta,
        worker: { ...worker, env },
        budget,
        note: { language: noteLanguage },
      }),
      tooling: toSnake(tooling),
    },
  };
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL/i;

/** A reference shows where its value comes from, never the value; a literal that is named like a key is hidden. */
const envShown = (name: string, value: string): string => {
  const variable = referenceOf(value);
  if (variable !== undefined) return `*** (env:${variable})`;
  return SECRET_NAME.test(name) ? "***" : value;
};
