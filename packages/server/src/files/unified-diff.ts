/** One line of a comparison: kept, removed or added. */
type Step = readonly ["=" | "-" | "+", string];

const CONTEXT = 3;
/** Beyond this many differing lines a minimal diff is not worth its price: everything is shown as replaced. */
const MOST_EDITS = 2_000;

/** A unified diff of two texts, without the file names above it; empty when they are equal. */
export function unifiedDiff(before: string, after: string): string {
  if (before === after) return "";
  const steps = compare(linesOf(before), linesOf(after));
  return hunksOf(steps)
    .map((hunk) => renderHunk(steps, hunk))
    .join("");
}

/** Lines with their ends, so that a missing last newline is a difference. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function compare(a: readonly string[], b: readonly string[]): Step[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end))
    end += 1;
  const keep = (line: string): Step => ["=", line];
  return [
    ...a.slice(0, start).map(keep),
    ...edits(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(keep),
  ];
}

/** Myers' greedy algorithm: the furthest point on every diagonal for each number of edits, then back along the trail. */
function edits(a: readonly string[], b: readonly string[]): Step[] {
  const trail: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_EDITS); d++) {
    trail.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(furthest, k, d)
        ? (furthest.get(k + 1) ?? 0)
        : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return backtrack(a, b, trail);
    }
    furthest = new Map(furthest);
  }
  return [...a.map((line): Step => ["-", line]), ...b.map((line): Step => ["+", line])];
}

const goesDown = (v: ReadonlyMap<number, number>, k: number, d: number): boolean =>
  k === -d || (k !== d && (v.get(k - 1) ?? 0) < (v.get(k + 1) ?? 0));

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): Step[] {
  const steps: Step[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trail.length - 1; d >= 0; d--) {
    const v = trail[d] ?? new Map<number, number>();
    const k = x - y;
    const before = goesDown(v, k, d) ? k + 1 : k - 1;
    const fromX = v.get(before) ?? 0;
    const fromY = fromX - before;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      steps.push(["=", a[x] ?? ""]);
    }
    if (d === 0) break;
    if (x === fromX) steps.push(["+", b[--y] ?? ""]);
    else steps.push(["-", a[--x] ?? ""]);
  }
  return steps.reverse();
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

/** Stretches of changes with their context; neighbours whose contexts touch are one. */
function hunksOf(steps: readonly Step[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, [kind]] of steps.entries()) {
    if (kind === "=") continue;
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(steps.length, index + CONTEXT + 1);
    const last = hunks.at(-1);
    if (last && last.to >= from) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function renderHunk(steps: readonly Step[], { from, to }: Hunk): string {
  const count = (list: readonly Step[], kind: "-" | "+"): number =>
    list.filter(([k]) => k === "=" || k === kind).length;
  const range = (kind: "-" | "+"): string => {
    const length = count(steps.slice(from, to), kind);
    const start = count(steps.slice(0, from), kind) + (length > 0 ? 1 : 0);
    return length === 1 ? `${start}` : `${start},${length}`;
  };
  const lines = steps.slice(from, to).map(([kind, line]) => {
    const mark = kind === "=" ? " " : kind;
    return line.endsWith("\n")
      ? `${mark}${line}`
      : `${mark}${line}\n\\ No newline at end of file\n`;
  });
  return `@@ -${range("-")} +${range("+")} @@\n${lines.join("")}`;
}
