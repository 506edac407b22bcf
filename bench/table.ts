import type { Row } from "./row.ts";

/** The rows as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map((row) =>
    [
      row.name,
      `${number(row.value)} ${row.unit}`,
      number(row.floor),
      number(row.ratio),
      row.target === null ? "" : `${row.atLeast === true ? "≥" : "≤"} ${number(row.target)}`,
      row.target === null ? "" : row.ok ? "yes" : "**no**",
    ].join(" | "),
  );
  return [
    "| what | measured | floor | ratio | target | met |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines.map((line) => `| ${line} |`),
  ].join("\n");
}

const number = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value < 10 ? 4 : 3);
