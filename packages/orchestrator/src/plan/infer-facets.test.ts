import { expect, test } from "vitest";
import { inferDomain, inferWorkType } from "./infer-facets.ts";

const hints = (phaseName: string, title = "", description = "") => ({
  title,
  description,
  phaseName,
  filePaths: [],
});

test.each([
  ["概念設計", "画面の整理", "", "spec"],
  ["概念設計", "README を書く", "", "docs"],
  ["概念設計", "要件", "利用者向けドキュメント", "docs"],
  ["実装設計", "README", "", "design"],
  ["実装", "API", "", "implementation"],
  ["検証", "API", "", "test"],
  ["Concept", "Idea", "", "spec"],
  ["Requirements", "A document of wishes", "", "docs"],
  ["Design", "Screens", "", "design"],
  ["Implementation", "Tests for x", "", "implementation"],
  ["Build", "x", "", "implementation"],
  ["Verification", "x", "", "test"],
  ["", "結合テスト", "", "test"],
  ["Other", "Write tests", "", "test"],
  ["", "The latest contest", "", ""],
  ["", "API", "", ""],
])("phase %j, title %j, description %j is %j work", (phase, title, description, type) => {
  expect(inferWorkType(hints(phase, title, description))).toBe(type);
});

test.each([
  [["internal/auth/service.go", "internal/auth/handler.go"], "auth"],
  [["packages/web/src/App.svelte"], "web"],
  [["src/store/history.ts", "src/store/views/wbs.ts"], "store"],
  [["src/a/x.ts", "src/b/y.ts"], ""],
  [["README.md"], ""],
  [["src/index.ts"], ""],
  [["docs/"], "docs"],
  [[], ""],
])("paths %j are in domain %j", (paths, domain) => {
  expect(inferDomain(paths)).toBe(domain);
});
