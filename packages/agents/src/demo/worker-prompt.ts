import { fillInText } from "./fill-in.ts";
import type { Found } from "./find-in-script.ts";
import type { TaskScript } from "./script.ts";

interface Situation {
  readonly title: string;
  readonly run: number;
  readonly criteria: readonly {
    id: string;
    description: string;
    passed: boolean;
    comment: string;
    check: string | null;
  }[];
  readonly answers: readonly { question: string; answer: string }[];
}

/** A worker prompt as a good one looks: context, work, constraints, criteria, what failed, how to verify. */
export function workerPrompt(
  { part, language, variables }: Found<TaskScript>,
  situation: Situation,
): string {
  const { title, run, criteria, answers } = situation;
  const text = (value: TaskScript["goal"]): string => fillInText(value, language, variables);
  const failed = criteria.filter(({ passed }) => !passed);
  const checks = criteria.flatMap(({ check }) => check ?? []);
  const parts: [string, readonly string[]][] = [
    ["", [`Task: ${title}`, `Run: ${run}`]],
    ["Work", [text(part.goal)]],
    ["Constraints", part.constraints.map((line) => `- ${text(line)}`)],
    ["Answers", answers.map(({ question, answer }) => `- ${question} → ${answer}`)],
    [
      "Acceptance criteria",
      criteria.map(
        ({ id, description, check }) =>
          `- ${id}: ${description}${check ? ` (check: \`${check}\`)` : ""}`,
      ),
    ],
    [
      "What failed last time",
      run > 1 ? failed.map(({ id, comment }) => `- ${id}: ${comment.slice(0, 2_000)}`) : [],
    ],
    ["Verify before you finish", checks.map((check) => `- \`${check}\` exits 0`)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => [...(heading ? [`# ${heading}`] : []), ...lines].join("\n"))
    .join("\n\n");
}

/** What the demo worker finds in its prompt again. */
export function readWorkerPrompt(prompt: string): { title: string; run: number } {
  const title = /^Task: (.+)$/m.exec(prompt)?.[1]?.trim() ?? "";
  const run = Number(/^Run: (\d{1,6})$/m.exec(prompt)?.[1] ?? 1);
  return { title, run: Math.max(1, run) };
}

/** A run written into the prompt itself, between ```demo and ```: for tests, and for trying things out. */
export const demoBlock = (prompt: string): string | null =>
  /^```demo\n([\s\S]*?)^```/m.exec(prompt)?.[1] ?? null;
