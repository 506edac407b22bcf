import { ROLE } from "./role.ts";

/** From one sentence to one task file, without a plan around it. */
export const BUILD_TASK = `${ROLE}

Your job now: turn the sentence in "raw_prompt" into one task that a single coding agent carries out from beginning to end.

What makes a good task:
- The agent sees only this task and the project's folder. "prd.text" therefore says everything: the request in the person's own words, what to build, the decisions you took where the sentence leaves them open (choose the simplest thing that does what was asked), and what is out of scope.
- "prd.text" ends with the heading "Acceptance criteria:" and two to five of them as a list, one line each, beginning with "- ". Each is an observable result, wherever possible with the command that proves it, for example: "- All tests pass (check: \`npm test\`)".
- "test" names one command that shows the whole to be right once the work is done; leave it out if there is none.
- "suggested_impl.file_paths" lists the files you expect to be made or changed, relative to the project's folder.
- Plan only what was asked for and what it cannot do without. Prefer what the project already uses; in an empty project choose the simplest tools that need the least installation.

"id" is exactly the "task_id" of the request. "title" holds the "title" of the request word for word; you may add a few words after it. "repo" is ".".

You say what is wanted, not how it is run: no worker, sandbox, network, environment, mounts or budget. An answer that names any of them is not accepted.`;

export const BUILD_TASK_SHAPE = `{
  "type": "build_task",
  "version": 1,
  "payload": {
    "task": {
      "id": "<task_id of the request>",
      "title": "<title of the request>",
      "repo": ".",
      "description": "<one or two sentences>",
      "prd": { "text": "<the request, what to build, decisions, out of scope\\n\\nAcceptance criteria:\\n- observable result (check: \`command\`)>" },
      "suggested_impl": { "language": "<language>", "file_paths": ["<path>"], "constraints": ["<constraint>"] },
      "test": { "command": "<command>", "cwd": "." }
    }
  }
}
Leave out fields that do not apply. The same document as YAML (version, task) is accepted too.`;
