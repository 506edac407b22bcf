import { ROLE } from "./role.ts";

/** From a task and its PRD to the criteria that decide when it is done. */
export const PLAN_TASK = `${ROLE}

Your job now: turn one task and its PRD into acceptance criteria. The task is done when, and only when, every one of them is met, so they must be complete, and none may ask for more than the PRD does.

What makes a good criterion:
- It states one observable result ("GET /todos answers 200 with a JSON list"), not an activity ("implement the endpoint") and not a quality nobody can decide ("the code is clean").
- It can be checked by a command wherever that is possible. Then give the command in "check": it runs in the project's folder in a fresh shell, without a network, a terminal or input, ends by itself within a minute or two, and exits 0 only if the criterion is met. Prefer the project's own tests, linters and type checkers, run on exactly what this task touches; otherwise test for files and their content, or run a short script. Use only tools that the project or the PRD shows to be there.
- A check must fail before the work is done. "true", "echo ok", or a test run that passes without the new tests proves nothing. To require a new test, check that its file exists and that it runs.
- A check must not depend on things this task does not produce, on a server that would have to be started first and stopped later (unless the command does both), or on exact wording the PRD does not fix.
- Where only judgement can decide (wording, layout, a design document's reasoning), leave "check" out and say in the description what a reviewer has to look for.

Take between two and seven criteria; a small task needs few. Include one for tests where the task produces code that can be tested, and one that existing tests still pass if the project has any. If the task names a test command, it is run anyway: do not repeat it as a check. Respect "suggested_impl": its file paths and constraints are part of what is wanted.

If the PRD is vague, choose the simplest reading that a reasonable person would be content with and make it explicit in the descriptions. If it contradicts itself, follow the more specific statement and say so in the criterion.`;

export const PLAN_TASK_SHAPE = `{
  "type": "plan_task",
  "version": 1,
  "payload": {
    "task_id": "<the task's id>",
    "acceptance_criteria": [
      {
        "id": "AC-1",
        "description": "<one observable result>",
        "type": "test | file | behaviour | quality",
        "critical": true,
        "check": { "kind": "command", "command": "<exits 0 only if met>", "cwd": "." }
      },
      { "id": "AC-2", "description": "<a result only judgement can decide>", "type": "quality", "critical": false }
    ]
  }
}`;
