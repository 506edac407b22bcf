import type { TreeRow } from "./tree.ts";

export type TreeStep =
  | { readonly do: "go"; readonly to: number }
  | { readonly do: "toggle"; readonly open: boolean }
  | { readonly do: "open" };

const PAGE = 12;

/** What a key does in a tree, as people know it from everywhere else. */
export function stepFor(key: string, rows: readonly TreeRow[], at: number): TreeStep | null {
  const row = rows[at];
  if (!row) return null;
  const to = (index: number): TreeStep => ({
    do: "go",
    to: Math.min(rows.length - 1, Math.max(0, index)),
  });
  const branch = row.item.children.length > 0;
  switch (key) {
    case "ArrowDown":
      return to(at + 1);
    case "ArrowUp":
      return to(at - 1);
    case "PageDown":
      return to(at + PAGE);
    case "PageUp":
      return to(at - PAGE);
    case "Home":
      return to(0);
    case "End":
      return to(rows.length - 1);
    case "ArrowRight":
      if (!branch) return null;
      return row.expanded ? to(at + 1) : { do: "toggle", open: true };
    case "ArrowLeft": {
      if (branch && row.expanded) return { do: "toggle", open: false };
      const parent = rows.findIndex((other) => other.item.key === row.parentKey);
      return parent < 0 ? null : to(parent);
    }
    case "Enter":
    case " ":
      return row.item.taskId !== null ? { do: "open" } : { do: "toggle", open: !row.expanded };
    default:
      return null;
  }
}
