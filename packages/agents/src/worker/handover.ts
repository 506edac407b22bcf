import type { WorkerRunResult } from "../worker.ts";

const SHOWN_FILES = 50;
const SHOWN_TEXT = 2_000;

/** The prompt for the CLI that goes on where others were stopped: the step as it was, and what has been done of it. */
export function handover(prompt: string, before: readonly WorkerRunResult[]): string {
  if (before.length === 0) return prompt;
  return [
    prompt,
    "",
    "---",
    "This step was begun by another agent and is yours to finish.",
    ...before.flatMap(told),
  ].join("\n");
}

function told({ tool, summary, files, failure }: WorkerRunResult): string[] {
  const changed = files.slice(0, SHOWN_FILES);
  return [
    `- ${tool} was stopped: ${failure?.message.slice(0, 200) ?? "no reason given"}`,
    ...(changed.length > 0 ? [`  Files it changed: ${changed.join(", ")}`] : []),
    ...(summary ? [`  The last it said: ${summary.slice(0, SHOWN_TEXT)}`] : []),
    "  Its changes are in the working tree. Look at them, keep what is right, and complete the step.",
  ];
}
