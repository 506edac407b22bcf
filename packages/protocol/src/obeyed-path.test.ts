import { expect, test } from "vitest";
import { isObeyedPath } from "./obeyed-path.ts";

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
  expect(paths.filter((path) => !isObeyedPath(path))).toEqual([]);
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
  expect(paths.filter(isObeyedPath)).toEqual([]);
});
