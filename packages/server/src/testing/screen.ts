import { textWidth } from "../cli/text-width.ts";

const ESCAPE = String.fromCharCode(27);
const PARTS = new RegExp(`${ESCAPE}\\[\\d*[A-Za-z]|[^]`, "gu");
const UP = new RegExp(`^${ESCAPE}\\[(\\d+)A$`);

/** The rows a terminal shows after this output: it knows text, line ends, going up, clearing below, and ignores the rest. */
export function screenOf(output: string, columns: number): string[] {
  const rows = [""];
  let at = 0;
  const goTo = (row: number): void => {
    at = Math.max(0, row);
    while (rows.length <= at) rows.push("");
  };
  for (const part of output.match(PARTS) ?? []) {
    const up = UP.exec(part)?.[1];
    if (part === "\n") goTo(at + 1);
    else if (up !== undefined) goTo(at - Number(up));
    else if (part === `${ESCAPE}[J`) rows.splice(at, Infinity, "");
    else if (part !== "\r" && !part.startsWith(ESCAPE)) {
      if (textWidth(rows[at] + part) > columns) goTo(at + 1);
      rows[at] += part;
    }
  }
  return rows;
}
