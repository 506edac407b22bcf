import { expect, test } from "vitest";
import { isRiskyPath } from "./risky-path.ts";

test("what runs by itself is marked, plain sources are not", () => {
  const risky = [
    ".vscode/tasks.json",
    "sub/.claude/settings.json",
    ".github/workflows/ci.yml",
    ".gitattributes",
    "package.json",
    "a/.npmrc",
    "x.code-workspace",
  ];
  expect(risky.filter((path) => !isRiskyPath(path))).toEqual([]);
  expect(["src/main.ts", "docs/package.json.md", "github/x"].filter(isRiskyPath)).toEqual([]);
});
