import { PLAN_RULES } from "./plan-rules.ts";
import { ROLE } from "./role.ts";

/** From a message to phases and tasks, without reference to an existing plan's structure. */
export const DECOMPOSE = `${ROLE}

Your job now: break a person's request down into phases and tasks.

${PLAN_RULES}

"understanding" tells the person in two or three sentences what you will build and which assumptions you made. Ids of new tasks are short words of your own, unique in the answer ("storage", "web-page"); dependencies name those, or ids of existing tasks.`;

export const DECOMPOSE_SHAPE = `{
  "type": "decompose",
  "version": 1,
  "payload": {
    "understanding": "<what you will build, and your assumptions>",
    "phases": [
      {
        "name": "<phase>",
        "milestone": "<milestone>",
        "tasks": [
          {
            "id": "<short-id>",
            "title": "<verb and object>",
            "description": "<what, interfaces, out of scope>",
            "acceptance_criteria": ["<observable result (check: \`command\`)>"],
            "dependencies": ["<id>"],
            "wbs_level": 3,
            "estimated_effort": "small | medium | large",
            "suggested_impl": { "language": "<language>", "file_paths": ["<path>"], "constraints": ["<constraint>"] }
          }
        ]
      }
    ],
    "potential_conflicts": [ { "file": "<path>", "tasks": ["<id>", "<id>"], "warning": "<why>" } ]
  }
}`;
