import { wellFormed } from "../text-tail.ts";

/** Escape sequences of any kind, then what is left of control characters: text from a worker must not drive a terminal. */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\u009b[0-?]*[ -/]*[@-~]/g;

export const plainText = (text: string): string =>
  text.replace(SEQUENCES, "").replace(/[\p{Cc}\p{Bidi_Control}]/gu, (c) => (c === "\t" ? " " : ""));

/** One line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = plainText(text.replace(/\s*[\r\n]+\s*/g, " ")).trim();
  return line.length > width ? `${wellFormed(line.slice(0, Math.max(0, width - 1)))}…` : line;
}
