import { expect, test } from "vitest";
import { BUILT_IN_PATTERNS, expandPatterns, mergePatterns } from "./patterns.ts";

test("named patterns are put behind the prompt, each once, in the order named", () => {
  const { prompt, unknown } = expandPatterns(BUILT_IN_PATTERNS, "Do it.\n", [
    "run_all_checks",
    "implement_feature",
    "run_all_checks",
  ]);
  expect(unknown).toEqual([]);
  expect(prompt.match(/^#+ .*/gm)).toEqual([
    "# How to work",
    "## run_all_checks",
    "## implement_feature",
  ]);
  expect(prompt.startsWith("Do it.\n\n# How to work")).toBe(true);
});

test("a name nobody knows is given back and changes nothing", () => {
  for (const name of ["nonsense", "__proto__", "constructor", "toString"])
    expect(expandPatterns(BUILT_IN_PATTERNS, "Do it.", [name])).toEqual({
      prompt: "Do it.",
      unknown: [name],
    });
});

test("a workspace's own pattern is known, and wins over a built-in one of its name", () => {
  const patterns = mergePatterns({
    mine: { summary: "", instructions: "my way" },
    run_all_checks: { summary: "ours", instructions: "make check" },
  });
  const { prompt } = expandPatterns(patterns, "Do it.", [
    "mine",
    "run_all_checks",
    "implement_feature",
  ]);
  expect(prompt).toContain("## mine\nmy way");
  expect(prompt).toContain("## run_all_checks\nours\nmake check");
  expect(prompt).toContain("## implement_feature");
});
