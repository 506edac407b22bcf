import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runCommand, type CommandOutcome } from "./harness/run-command.ts";
import { copyTree, type TreeCopy } from "./harness/tree-copy.ts";

// Each test runs a whole tool, and the machine may be busy with others.
vi.setConfig({ testTimeout: 120_000 });

let tree: TreeCopy;

beforeEach(async () => {
  tree = await copyTree();
});
afterEach(() => tree.remove());

/** What `npm run check -- PART` does in the copy, without its install. */
function check(part: string): Promise<CommandOutcome> {
  const script = `import { check } from "./scripts/check-parts.mjs"; process.exitCode = (await check(["${part}"])).length;`;
  return runCommand(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: tree.path,
  });
}

async function plant(file: string, source: string): Promise<void> {
  await writeFile(join(tree.path, file), source);
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const before = await readFile(join(tree.path, file), "utf8");
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await plant(file, after);
}

test("a wrong import fails the architecture check", async () => {
  await plant("packages/orchestrator/src/bite.ts", 'export * from "@multiverse/agents/bite";\n');
  const { code, stdout } = await check("architecture");
  expect(code).toBe(1);
  expect(stdout).toContain(
    "packages/orchestrator/src/bite.ts: orchestrator must not import agents",
  );
});

test("a fact kind that the reducer does not handle fails the type check", async () => {
  const facts = "export const FACT_PAYLOADS = {";
  await edit("packages/protocol/src/fact.ts", facts, `${facts} "bite.bitten": z.object({}),`);
  const { code, stdout } = await check("types");
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /packages\/protocol\/src\/apply\/apply\.ts.*\n?.*"bite\.bitten"' is missing/,
  );
});

test("an `any` fails the lint", async () => {
  await plant("packages/protocol/src/bite.ts", "export const bite: any = 1;\n");
  const { code, stdout } = await check("lint");
  expect(code).toBe(1);
  expect(stdout).toMatch(/no-explicit-any[^]*packages\/protocol\/src\/bite\.ts/);
});

test("a promise that nobody awaits fails the lint", async () => {
  await plant(
    "packages/protocol/src/bite.ts",
    "export function bite(p: Promise<void>): void {\n  p;\n}\n",
  );
  const { code, stdout } = await check("lint");
  expect(code).toBe(1);
  expect(stdout).toMatch(/no-floating-promises[^]*packages\/protocol\/src\/bite\.ts/);
});

test("an unused export fails the check for unused code", async () => {
  await plant("packages/protocol/src/bite.ts", "export const unusedBite = 1;\n");
  const { code, stdout } = await check("unused");
  expect(code).toBe(1);
  expect(stdout).toMatch(/unusedBite +packages\/protocol\/src\/bite\.ts/);
});

test("a badly formatted file fails the format check", async () => {
  await plant("packages/protocol/src/bite.ts", "export const bite   = 1\n");
  const { code, stdout } = await check("format");
  expect(code).toBe(1);
  expect(stdout).toContain("packages/protocol/src/bite.ts");
});
