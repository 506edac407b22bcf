/** Readers of events take lines of up to 1 MiB; a longer one would cost them the whole run. */
const LONGEST = 1_000_000;

/** Longest text and longest list, step by step, until it fits. What is usual never comes near the first step. */
const STEPS: readonly (readonly [text: number, list: number])[] = [
  [16_384, 10_000],
  [2_048, 2_000],
  [256, 500],
  [64, 50],
];

/** An event as one line of JSON, with its longest parts cut where it would be too long otherwise. */
export function fittingLine(event: object): string {
  let line = JSON.stringify(event);
  for (const [text, list] of STEPS) {
    if (line.length <= LONGEST && Buffer.byteLength(line) <= LONGEST) return line;
    line = JSON.stringify(cut(event, text, list));
  }
  return line;
}

function cut(value: unknown, text: number, list: number): unknown {
  if (typeof value === "string") return value.length > text ? `${value.slice(0, text)}…` : value;
  if (Array.isArray(value)) return value.slice(0, list).map((item) => cut(item, text, list));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, cut(inner, text, list)]),
  );
}
