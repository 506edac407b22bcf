import { expect, test } from "vitest";
import { needsReview } from "./needs-review.ts";

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test("what is obeyed by itself is marked, whatever stands in it; a source is not", () => {
  expect(needsReview(".vscode/tasks.json", null, json({}))).toBe(true);
  expect(needsReview(".gitattributes", json({}), null)).toBe(true);
  expect(needsReview("src/main.ts", json({}), null)).toBe(false);
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
