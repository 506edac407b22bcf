import { expect, test } from "vitest";
import { diffRows, diffSize } from "./unified-diff.ts";

const DIFF = `--- a/x.js
+++ b/x.js
@@ -1,3 +1,3 @@
 same
-old
+new
 -- tail
\\ No newline at end of file
`;

test("rows carry the line numbers of both sides", () => {
  expect(diffRows(DIFF)).toEqual([
    { kind: "hunk", before: null, after: null, text: "@@ -1,3 +1,3 @@" },
    { kind: "same", before: 1, after: 1, text: "same" },
    { kind: "removed", before: 2, after: null, text: "old" },
    { kind: "added", before: null, after: 2, text: "new" },
    { kind: "same", before: 3, after: 3, text: "-- tail" },
    { kind: "note", before: null, after: null, text: "No newline at end of file" },
  ]);
});

test("the size counts lines added and removed, not the file's head", () => {
  expect(diffSize(diffRows(DIFF))).toEqual({ added: 1, removed: 1 });
});

test("a removed line that looks like a head is still a line", () => {
  expect(diffRows("@@ -1 +1 @@\n--- x\n").at(-1)).toMatchObject({ kind: "removed", text: "-- x" });
});
