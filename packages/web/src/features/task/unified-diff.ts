/** A unified diff as rows with line numbers on both sides. */
export interface DiffRow {
  readonly kind: "hunk" | "same" | "added" | "removed" | "note";
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const HEAD =
  /^(?:diff |index |--- |\+\+\+ |new file|deleted file|old mode|new mode|similarity|rename )/;

export function diffRows(diff: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      inHunk = true;
      rows.push({ kind: "hunk", before: null, after: null, text: line });
    } else if (!inHunk) {
      if (line !== "" && !HEAD.test(line))
        rows.push({ kind: "note", before: null, after: null, text: line });
    } else if (line.startsWith("+"))
      rows.push({ kind: "added", before: null, after: after++, text: line.slice(1) });
    else if (line.startsWith("-"))
      rows.push({ kind: "removed", before: before++, after: null, text: line.slice(1) });
    else if (line.startsWith("\\"))
      rows.push({ kind: "note", before: null, after: null, text: line.slice(2) });
    else rows.push({ kind: "same", before: before++, after: after++, text: line.slice(1) });
  }
  return rows;
}

export function diffSize(rows: readonly DiffRow[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const { kind } of rows) {
    if (kind === "added") added += 1;
    else if (kind === "removed") removed += 1;
  }
  return { added, removed };
}
