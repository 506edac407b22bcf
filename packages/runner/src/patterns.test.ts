import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPatterns } from "./patterns.ts";

let repo = "";
beforeEach(() => {
  repo = mkdtempSync(join(tmpdir(), "patterns-"));
  mkdirSync(join(repo, ".agent-runner"));
});
afterEach(() => rmSync(repo, { recursive: true, force: true }));

const inRepo = (): string => join(repo, ".agent-runner/patterns.yaml");
const OWN = "patterns: { be_kind: { summary: kindness, instructions: Be kind. } }\n";

async function open(named?: string) {
  const warnings: string[] = [];
  const patterns = await openPatterns(repo, named, (message) => warnings.push(message));
  return { ...patterns, warnings };
}

test("the product's patterns are there without a file", async () => {
  const { list, expand, warnings } = await open();
  expect(list.map(({ name }) => name)).toEqual([
    "implement_feature",
    "run_all_checks",
    "ensure_git_clean",
    "summarize_work_as_json",
  ]);
  expect(expand("Do it.", ["run_all_checks", "dance"])).toEqual({
    prompt: expect.stringContaining("## run_all_checks") as string,
    unknown: ["dance"],
  });
  expect(warnings).toEqual([]);
});

test("a repo may bring its own, and a named file wins over it", async () => {
  writeFileSync(inRepo(), OWN);
  expect((await open()).expand("x", ["be_kind"]).prompt).toContain("Be kind.");
  const named = join(repo, "named.yaml");
  writeFileSync(named, OWN.replace("Be kind.", "Be brave."));
  expect((await open(named)).expand("x", ["be_kind"]).prompt).toContain("Be brave.");
});

test.each([
  ["broken YAML", "patterns: ["],
  ["another shape", "patterns: 3"],
  ["aliases", "a: &a x\npatterns: *a"],
])("a file with %s is a warning, and the product's patterns are used", async (_, text) => {
  writeFileSync(inRepo(), text);
  const { list, warnings } = await open();
  expect(list).toHaveLength(4);
  expect(warnings).toEqual([expect.stringContaining("is not usable")]);
});

test("a named file that is missing is a warning; a link out of the repo is not followed", async () => {
  expect((await open("/nowhere/patterns.yaml")).warnings).toEqual([
    expect.stringContaining("cannot be read"),
  ]);
  const outside = join(mkdtempSync(join(tmpdir(), "outside-")), "patterns.yaml");
  writeFileSync(outside, OWN);
  symlinkSync(outside, inRepo());
  expect((await open()).list).toHaveLength(4);
});
