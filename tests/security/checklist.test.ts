import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/paths.mjs";
import { CHECKLIST } from "./checklist.ts";

const textOf = (file: string): string =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";

test("every number of the checklist is there, with a proof or the reason why there is none", () => {
  const numbers = Array.from({ length: 30 }, (_, i) => `S${String(i + 1).padStart(2, "0")}`);
  expect(Object.keys(CHECKLIST)).toEqual(numbers);
  const unproved = Object.entries(CHECKLIST).filter(
    ([, { proofs, apart }]) => Object.keys(proofs).length === 0 && apart === undefined,
  );
  expect(unproved).toEqual([]);
});

test("every proof is a test that exists", () => {
  const missing = Object.entries(CHECKLIST).flatMap(([number, { proofs }]) =>
    Object.entries(proofs).flatMap(([file, names]) =>
      names
        .filter((name) => !textOf(file).includes(name))
        .map((name) => `${number}: ${file}: ${name}`),
    ),
  );
  expect(missing).toEqual([]);
});
