/** Answers of a scripted meta-agent, in the envelope of the protocol. */
const envelope = (type: string, payload: object): string =>
  JSON.stringify({ type, version: 1, payload });

export const planned = (
  ...criteria: { id?: string; description: string; check?: object }[]
): string => envelope("plan_task", { acceptance_criteria: criteria });

/** The demo worker does what a ```demo block in its prompt says. */
export const worker = (run: object, call: object = {}): string =>
  envelope("next_action", {
    decision: { action: "run_worker", reason: "there is work" },
    worker_call: {
      worker_type: "mock",
      mode: "exec",
      prompt: `Do it.\n\n\`\`\`demo\n${JSON.stringify(run)}\n\`\`\`\n`,
      ...call,
    },
  });

export const decision = (action: string, reason = "", more: object = {}): string =>
  envelope("next_action", { decision: { action, reason }, ...more });

export const assessment = (
  all: boolean,
  byCriterion: object[] = [],
  summary = all ? "It is done." : "It is not done.",
): string =>
  envelope("completion_assessment", {
    all_criteria_satisfied: all,
    summary,
    by_criterion: byCriterion,
  });

export const HELLO = { files: { "hello.txt": "hello\n" }, summary: "Wrote hello.txt." };
export const helloCheck = {
  description: "hello.txt says hello",
  check: { kind: "command", command: "grep -q hello hello.txt" },
};
