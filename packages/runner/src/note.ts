import { stringify } from "yaml";
import { LIMITS } from "@multiverse/protocol/limits";
import { NOTE_WORDS } from "./note-words.ts";
import type { NoteWords } from "./note-words.ts";
import type { TaskContext } from "./task-context.ts";
import { tailOf, wellFormed } from "./text-tail.ts";

/** What the note is made from: the context as plain data, so that it can be masked before a word of it is written. */
export interface NoteView extends Pick<
  TaskContext,
  "criteria" | "metaCalls" | "workerRuns" | "testResult" | "warnings" | "state"
> {
  readonly id: string;
  readonly title: string;
  readonly prdText: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly summary: string;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly question: { text: string; options: string[] } | null;
  readonly risks: readonly string[];
}

export function noteView(context: TaskContext): NoteView {
  const { task, end, assessment, startedAt, finishedAt } = context;
  return {
    criteria: context.criteria,
    metaCalls: context.metaCalls,
    workerRuns: context.workerRuns,
    testResult: context.testResult,
    warnings: context.warnings,
    state: context.state,
    id: task.id,
    title: task.title,
    prdText: task.prdText,
    startedAt: startedAt.toISOString(),
    finishedAt: (finishedAt ?? startedAt).toISOString(),
    summary: end?.summary ?? "",
    reason: end?.reason ?? null,
    hint: end?.hint ?? null,
    question: end?.question ?? null,
    risks: assessment?.details?.remainingRisks ?? [],
  };
}

/** The Task Note as Markdown. Pure. */
export function renderNote(view: NoteView, language: "ja" | "en"): string {
  const words = NOTE_WORDS[language];
  const sections = [
    `${head(view)}\n`,
    `## 1. ${words.summary}\n\n${paragraph(view.summary) || words.none}\n`,
    `## 2. ${words.prd}\n\n${prdOf(view, words)}\n`,
    `## 3. ${words.criteria}\n\n${criteriaOf(view, words)}\n`,
    `## 4. ${words.log}\n\n### 4.1 Meta Calls\n\n${metaOf(view, words)}\n\n### 4.2 Worker Runs\n\n${runsOf(view, words)}\n`,
    `## 5. ${words.tests}\n\n${testsOf(view, words)}\n`,
    `## 6. ${words.notes}\n\n${notesOf(view, words)}\n`,
  ];
  return sections.join("\n---\n\n");
}

function head({ id, title, startedAt, finishedAt, state }: NoteView): string {
  const shown = inline(title);
  return [
    `# Task Note - ${id}${shown === "" ? "" : ` - ${shown}`}`,
    "",
    `- Task ID: ${id}`,
    `- Title: ${shown}`,
    `- Started At: ${startedAt}`,
    `- Finished At: ${finishedAt}`,
    `- State: ${state}`,
  ].join("\n");
}

const PRD_LINES = 5;
const PRD_CHARS = 600;

function prdOf({ prdText }: NoteView, words: NoteWords): string {
  const lines = prdText.split(/\r?\n/).filter((line) => line.trim() !== "");
  const short = wellFormed(lines.slice(0, PRD_LINES).join(" ").slice(0, PRD_CHARS));
  return [
    paragraph(short) || words.none,
    "",
    "<details>",
    `<summary>${words.prdFull}</summary>`,
    "",
    fence("text", prdText),
    "",
    "</details>",
  ].join("\n");
}

function criteriaOf({ criteria }: NoteView, words: NoteWords): string {
  if (criteria.length === 0) return words.noCriteria;
  return criteria
    .flatMap(({ id, description, passed, comment, evidence }) => [
      `- [${passed ? "x" : " "}] ${inline(id)}: ${inline(description)}`,
      ...(comment === "" ? [] : [`  - ${words.comment}: ${inline(comment)}`]),
      ...(evidence === null
        ? []
        : [
            `  - ${words.evidence}: ${code(evidence.command)} (exit ${evidence.exitCode}, ${evidence.durationMs} ms)`,
            ...(evidence.tail.trim() === ""
              ? []
              : ["", indented(fence("text", evidence.tail)), ""]),
          ]),
    ])
    .join("\n");
}

function metaOf({ metaCalls }: NoteView, words: NoteWords): string {
  if (metaCalls.length === 0) return words.noCalls;
  return metaCalls
    .map(({ type, timestamp, request, response, provider, model, durationMs }) =>
      [
        `#### ${type} at ${timestamp}`,
        "",
        `${inline(provider)}${model === "" ? "" : ` / ${inline(model)}`}, ${Math.round(durationMs)} ms`,
        "",
        fence("yaml", cap(yamlOf(request))),
        "",
        fence("yaml", cap(yamlOf(response))),
      ].join("\n"),
    )
    .join("\n\n");
}

/** The heading has room for a number only; a run that was stopped has no exit code. */
const NO_EXIT_CODE = -1;

function runsOf({ workerRuns }: NoteView, words: NoteWords): string {
  if (workerRuns.length === 0) return words.noRuns;
  return workerRuns
    .map(
      ({
        id,
        exitCode,
        startedAt,
        finishedAt,
        rawOutput,
        outputLength,
        summary,
        failure,
        changedFiles,
        logPath,
      }) => {
        const shown = tailOf(rawOutput, LIMITS.noteOutputBytes);
        const isCut = shown !== rawOutput || outputLength > Buffer.byteLength(rawOutput);
        return [
          `#### Run ${inline(id)} (ExitCode=${exitCode ?? NO_EXIT_CODE}) at ${startedAt} - ${finishedAt}`,
          "",
          ...(summary === "" ? [] : [paragraph(summary), ""]),
          ...(failure === null ? [] : [`- ${words.error}: ${inline(failure.message)}`]),
          `- ${words.changed}: ${changedFiles.length === 0 ? words.none : changedFiles.map(code).join(", ")}`,
          "",
          fence("text", shown),
          ...(isCut ? ["", words.cut(logPath)] : []),
        ].join("\n");
      },
    )
    .join("\n\n");
}

function testsOf({ testResult }: NoteView, words: NoteWords): string {
  if (!testResult) return words.notRun;
  const { command, exitCode, durationMs, tail } = testResult;
  return [
    `- Command: ${code(command)}`,
    `- ExitCode: ${exitCode}`,
    `- Summary: ${exitCode === 0 ? "passed" : "failed"} (${durationMs} ms)`,
    "",
    fence("text", tail),
  ].join("\n");
}

function notesOf(
  { state, reason, risks, warnings, question, hint }: NoteView,
  words: NoteWords,
): string {
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`- ${title}:`, ...items.map((item) => `  - ${inline(item)}`)];
  const lines = [
    ...(reason === null ? [] : [`- ${words.reason}: ${reason}`]),
    ...list(words.risks, risks),
    ...list(words.warnings, warnings),
    ...(question ? list(words.question, [question.text, ...question.options]) : []),
    ...(hint === null ? [] : [`- ${words.next}: ${inline(hint)}`]),
  ];
  if (lines.length > 0) return lines.join("\n");
  return state === "COMPLETE" ? words.done : words.none;
}

const inline = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, " ").trim();

/** Free text of a model between our headings: a heading or a fence in it must not become part of the note's structure. */
const paragraph = (text: string): string =>
  text.trim().replace(/^(\s{0,3})(#|```|~~~|---|===|<)/gm, "$1\\$2");

const yamlOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : stringify(value ?? null, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();

const cap = (text: string): string => tailOf(text, LIMITS.noteOutputBytes);

const longestTicks = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** A fence longer than any run of backticks inside. */
function fence(language: string, text: string): string {
  const ticks = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${ticks}${language}\n${text.replace(/\n$/, "")}\n${ticks}`;
}

/** As part of a list item of the second level. */
const indented = (text: string): string => text.replace(/^(?=.)/gm, "    ");

function code(text: string): string {
  const ticks = "`".repeat(longestTicks(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return `${ticks}${pad}${inline(text)}${pad}${ticks}`;
}
