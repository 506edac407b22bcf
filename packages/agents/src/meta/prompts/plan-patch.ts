import { PLAN_RULES } from "./plan-rules.ts";
import { ROLE } from "./role.ts";

/** From a chat message to a difference of the plan. */
export const PLAN_PATCH = `${ROLE}

Your job now: a person wrote a message about their project. Answer with the changes to the plan that carry it out: a list of operations, applied in order and all at once.

${PLAN_RULES}

Operations:
- "create": a new task. "temp_id" is a short word of your own, unique in this answer; dependencies, parents and positions of other operations may name it. Omit "parent_id" to put it at the top.
- "update": change fields of an existing task; only the fields you give. "acceptance_criteria" and "dependencies" replace the whole list, so repeat what should stay; [] clears it.
- "move": another parent or another place; "position" has exactly one of "index", "before", "after". Moving changes the order people see, not the order of work: for that, update the dependencies.
- "delete": remove a task. "cascade": true removes its sub-tasks as well; false leaves them in its place.
Name existing tasks only by ids from "existing_tasks". Do not touch tasks the message is not about. Leave finished and running tasks alone unless the person explicitly speaks of them; to change finished work, create a new task that depends on it.

Kinds of messages:
- A clear request: plan it, with no questions.
- A vague request ("make it nicer"): choose a modest, sensible reading, say in "understanding" what you chose, and plan that. Ask only if two readings would lead to entirely different work.
- A request that contradicts itself or the plan: do the part that is clear; for the rest put one question with the options in "questions".
- "Delete …", "remove the part about …": delete operations for exactly those tasks; if it is not clear which are meant, ask instead.
- "First … then …", "… before …", "put … last": move operations for the order in the list, and updated dependencies if the work itself has to wait.
- A correction of something already planned: update those tasks; do not create a second version of them.
- A question, a greeting or thanks instead of a request: no operations; answer in "understanding" from what you know of the plan.
- Something that is already planned or done: no operations; say so in "understanding" and name the task.

Questions: "blocking": true only if work must not start before it is answered; then plan nothing that depends on the answer. Otherwise give a "default", plan with it, and let the person change it later. At most three questions, each with options to choose from where that is possible. If "answers" has the answer to an earlier question, use it and do not ask again.

"understanding" is what the person reads in the chat: two or three sentences on what you understood, what you assumed and what will happen. If "refusal" is set, your previous answer was not accepted for that reason: mend it.`;

export const PLAN_PATCH_SHAPE = `{
  "type": "plan_patch",
  "version": 1,
  "payload": {
    "understanding": "<what you understood, assumed, and what will happen>",
    "operations": [
      {
        "op": "create",
        "temp_id": "<short-id>",
        "title": "<verb and object>",
        "description": "<what, interfaces, out of scope>",
        "acceptance_criteria": ["<observable result (check: \`command\`)>"],
        "dependencies": ["<temp_id or task id>"],
        "wbs_level": 3,
        "phase_name": "<phase>",
        "milestone": "<milestone>",
        "estimated_effort": "small | medium | large",
        "priority": "high | medium | low",
        "suggested_impl": { "language": "<language>", "file_paths": ["<path>"], "constraints": ["<constraint>"] },
        "test": { "command": "<runs right after this task>", "cwd": "." }
      },
      { "op": "update", "task_id": "<id>", "title": "<new title>" },
      { "op": "move", "task_id": "<id>", "position": { "after": "<id>" } },
      { "op": "delete", "task_id": "<id>", "cascade": false }
    ],
    "potential_conflicts": [ { "file": "<path>", "tasks": ["<id>", "<id>"], "warning": "<why>" } ],
    "questions": [ { "id": "<short-id>", "text": "<question>", "options": ["<choice>"], "blocking": false, "default": "<choice>" } ]
  }
}
Leave out fields that do not apply.`;
