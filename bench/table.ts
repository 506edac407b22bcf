import type { Row } from "./row.ts";

const HEAD = ["what", "measured", "floor", "ratio", "target", "met"];

/** The rows as a Markdown table whose columns line up, for a terminal as well as for the docs. */
export function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) =>
    Math.max(3, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const drawn = cells.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  const [head = HEAD, ...body] = drawn;
  return [head, rule, ...body].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

const cellsOf = (row: Row): string[] => [
  row.name,
  `${number(row.value)} ${row.unit}`,
  number(row.floor),
  number(row.ratio),
  row.target === null ? "" : `${row.atLeast === true ? "≥" : "≤"} ${number(row.target)}`,
  row.target === null ? "" : row.ok ? "yes" : "**no**",
];

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value < 10 ? 4 : 3);
