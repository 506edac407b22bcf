import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

test("equal texts have no diff", () => {
  expect(unifiedDiff("a\nb\n", "a\nb\n")).toBe("");
});

test("a change is shown with three lines around it", () => {
  const before = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join("");
  expect(unifiedDiff(before, before.replace("line 5", "line five"))).toBe(
    "@@ -3,7 +3,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n",
  );
});

test.each([
  ["", "a\n", "@@ -0,0 +1 @@\n+a\n"],
  ["a\n", "", "@@ -1 +0,0 @@\n-a\n"],
  ["a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"],
])("%j to %j", (before, after, diff) => {
  expect(unifiedDiff(before, after)).toBe(diff);
});

test("patch turns the old text into the new one with it, for any two texts", () => {
  const folder = mkdtempSync(join(tmpdir(), "multiverse-diff-"));
  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "あ\n"), { maxLength: 30 })
    .chain((lines) => fc.constantFrom("", "end").map((end) => lines.join("") + end));
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff(before, after);
        const file = join(folder, "file");
        writeFileSync(file, before);
        if (diff !== "") {
          const patch = `--- a/file\n+++ b/file\n${diff}`;
          execFileSync("git", ["apply", "--unsafe-paths", "--unidiff-zero", "-"], {
            cwd: folder,
            input: patch,
          });
        }
        expect(readFileSyncOrEmpty(file)).toBe(after);
      }),
      { numRuns: 100 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);

function readFileSyncOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a patch that empties a file may remove it
  }
}
