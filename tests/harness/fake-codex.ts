import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A coding CLI as the product sees it from outside: it lives in the project, since that is mounted into containers. */
const FAKE_CODEX = `#!/bin/sh
if [ "$1" = --version ]; then echo "codex-cli 0.166.0"; exit; fi
cat > /dev/null
echo '{"type":"thread.started","thread_id":"019a-0001"}'
echo '{"type":"turn.started"}'
sleep \${FAKE_CODEX_SEC:-1}
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"done"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'
`;

const NAME = "fake-codex";

export function putFakeCodex(project: string): void {
  writeFileSync(join(project, NAME), FAKE_CODEX);
  chmodSync(join(project, NAME), 0o755);
}

/** The candidate that runs it in a container. */
export const fakeCodex = {
  tool: "codex-cli",
  weight: 1,
  cliPath: `/workspace/project/${NAME}`,
} as const;

/** What the scripted meta-agent makes of every task. */
export const ANY_TASK = `version: 1
tasks:
  - match: '.'
    goal: Do it.
    acceptance_criteria: [{ description: it is done }]
    runs: [{}]
`;
