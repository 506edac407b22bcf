import type { RunEventBody, RunEventOf } from "@multiverse/protocol/run-event";
import type { RunState } from "@multiverse/protocol/run-result";
import { oneLine } from "./plain-text.ts";

/** Wraps text in a colour where the terminal has some. */
export type Paint = (
  colour: "red" | "green" | "yellow" | "cyan" | "dim" | "bold",
  text: string,
) => string;

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;
export const paintWith =
  (colours: boolean): Paint =>
  (colour, text) =>
    colours ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;

const WIDTH = 160;
const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1_000).toFixed(1)} s`;

/** What a person watching wants to know about an event: usually nothing, else one or a few lines. Pure. */
export function humanLines(event: RunEventBody, paint: Paint): string[] {
  switch (event.type) {
    case "state":
      return [`${paint("dim", event.from)} → ${paint(colourOf(event.to), event.to)}`];
    case "meta":
      return metaLines(event, paint);
    case "container":
      return event.phase === "pulling" ? [`  pulling ${oneLine(event.image, WIDTH)}`] : [];
    case "worker":
      return workerLines(event, paint);
    case "worker_event":
      return event.kind === "error" ? [`  ${paint("red", oneLine(event.text, WIDTH))}`] : [];
    case "test":
      return [
        `  ${mark(event.exitCode === 0, paint)} ${oneLine(event.command, WIDTH)} ${paint("dim", `(exit ${event.exitCode}, ${seconds(event.durationMs)})`)}`,
      ];
    case "criteria":
      return criteriaLines(event, paint);
    case "log":
      return event.level === "warn" || event.level === "error"
        ? [`  ${paint("yellow", `! ${oneLine(event.message, WIDTH)}`)}`]
        : [];
    case "finished":
      return finishedLines(event, paint);
    case "output":
      return [];
  }
}

const mark = (ok: boolean, paint: Paint): string => (ok ? paint("green", "✓") : paint("red", "✗"));

function colourOf(state: RunState): "green" | "red" | "yellow" | "cyan" {
  if (state === "COMPLETE") return "green";
  if (state === "FAILED") return "red";
  return state === "NEEDS_REVIEW" ? "yellow" : "cyan";
}

function metaLines({ phase, call, message }: RunEventOf<"meta">, paint: Paint): string[] {
  return phase === "retry"
    ? [`  ${paint("yellow", `${call} again: ${oneLine(message ?? "", WIDTH)}`)}`]
    : [];
}

function workerLines(event: RunEventOf<"worker">, paint: Paint): string[] {
  const who = [event.tool, event.model].filter(Boolean).join(" ");
  if (event.phase === "started") return [`  worker ${paint("bold", oneLine(who, WIDTH))} started`];
  const files = event.files?.length ?? 0;
  const facts = `(exit ${event.exitCode ?? "none"}, ${seconds(event.durationMs)}, ${files} ${files === 1 ? "file" : "files"} changed)`;
  return [
    `  ${mark(event.exitCode === 0, paint)} worker: ${oneLine(event.summary ?? "", WIDTH)} ${paint("dim", facts)}`,
  ];
}

function criteriaLines({ criteria }: RunEventOf<"criteria">, paint: Paint): string[] {
  const passed = criteria.filter((criterion) => criterion.passed).length;
  return [
    `  ${passed} of ${criteria.length} criteria passed`,
    ...criteria.map(
      ({ id, description, passed: ok }) =>
        `    ${ok ? mark(true, paint) : "·"} ${oneLine(`${id}: ${description}`, WIDTH)}`,
    ),
  ];
}

function finishedLines({ result }: RunEventOf<"finished">, paint: Paint): string[] {
  const reason = result.reason === null ? "" : ` (${result.reason})`;
  return [
    `${mark(result.status === "succeeded", paint)} ${paint("bold", result.status)}${reason}: ${oneLine(result.summary, 1_000)}`,
    ...(result.question
      ? [
          `  ? ${oneLine(result.question.text, 1_000)}${result.question.options.map((option) => `\n    - ${oneLine(option, WIDTH)}`).join("")}`,
        ]
      : []),
    ...result.validation.warnings.map(
      (warning) => `  ${paint("yellow", `! ${oneLine(warning, WIDTH)}`)}`,
    ),
    ...(result.hint ? [`  ${oneLine(result.hint, 1_000)}`] : []),
    ...(result.artifacts.note === null ? [] : [`  note: ${oneLine(result.artifacts.note, WIDTH)}`]),
  ];
}
