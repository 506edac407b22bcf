import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./paths.mjs";

/**
 * @typedef {object} Skip
 * @property {string} what the tests that did not run
 * @property {string} why what they miss
 * @property {string} how what a person does to have them run
 */

// Test files run in processes of their own, so what they skip is told through a file.
const file = join(root, "test-results/skips.jsonl");

/** @param {Skip} skip */
export function recordSkip(skip) {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(skip)}\n`);
}

/**
 * What was skipped since test-results/ was last emptied, each thing once.
 * @returns {Skip[]}
 */
export function readSkips() {
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  return [...new Set(lines)].map((line) => /** @type {Skip} */ (JSON.parse(line)));
}
