import { MultiverseError } from "@multiverse/protocol/error";
import type { Problem } from "./restricted-yaml.ts";

/** `task.yaml:3:9: task.title: expected string, received number` */
export function sayProblem(source: string, { path, message, at }: Problem): string {
  const place = at ? `${source}:${at.line}:${at.column}` : source;
  return `${place}: ${path === "" || message.includes(path) ? "" : `${path}: `}${message}`;
}

/** All problems of a task in one error, and the warnings: a mistyped name is often why another is missing. */
export function invalidTask(
  source: string,
  problems: readonly Problem[],
  warnings: readonly Problem[] = [],
): MultiverseError {
  const lines = [
    ...problems.map((problem) => sayProblem(source, problem)),
    ...warnings.map((warning) => `warning: ${sayProblem(source, warning)}`),
  ];
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const message =
    lines.length === 1 ? (lines[0] ?? "") : `the task has ${count}:\n  ${lines.join("\n  ")}`;
  return new MultiverseError("INVALID_TASK", message, {
    hint: "Correct the task YAML at the places named and run again; `agent-runner --help` shows the fields.",
  });
}
