import { paint, safeText, type Terminal } from "../terminal.ts";
import { taskLine } from "../task-lines.ts";
import { wrapToWidth } from "../text-width.ts";
import type { News, Question } from "./news.ts";

const INDENT = 2;

/** News as text that scrolls by. Words of models are made harmless here. */
export function newsText(terminal: Terminal, news: News): string {
  switch (news.type) {
    case "message":
      return `${wrapped(terminal, safeText(news.text, false).trim())}\n\n`;
    case "task":
      return `${taskLine(terminal, news.status, `${news.id}  ${news.title}`)}\n`;
    case "question":
      return `${questionLines(terminal, news).join("\n")}\n  answer: multiverse answer ${news.id} "…"\n`;
    case "answer":
      return `${paint(terminal, "yellow", "?")} ${safeText(news.question, false)}\n  → ${safeText(news.text, false)}\n`;
    case "finished":
      return "";
  }
}

/** Prose is broken at words where a person reads it, and left alone where a program does. */
const wrapped = (terminal: Terminal, text: string): string =>
  terminal.isTerminal ? wrapToWidth(text, terminal.columns - 1).join("\n") : text;

/** A question with its numbered answers, in lines that fit. */
export function questionLines(
  terminal: Terminal,
  question: Question,
  columns = Infinity,
): string[] {
  const options = question.options.map(
    (option, i) => `${i + 1}. ${option}${option === question.default ? " (default)" : ""}`,
  );
  const lines = [question.text, ...options].flatMap((line) =>
    wrapToWidth(safeText(line, false), columns - INDENT),
  );
  return lines.map((line, i) => `${i === 0 ? paint(terminal, "yellow", "?") : " "} ${line}`);
}
