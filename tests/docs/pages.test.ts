import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ERROR_CODES } from "@multiverse/protocol/error";
import { jsonSchema, PUBLISHED } from "@multiverse/protocol/json-schemas";
import { Settings } from "@multiverse/protocol/settings";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { root } from "../../scripts/paths.mjs";
import { runCommand } from "../harness/run-command.ts";
import { anchorOf, blocks, headings, links, pages } from "./markdown.ts";

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

test("every error code has an entry in docs/errors.md, and every entry a code", () => {
  const entries = headings(textOf("docs/errors.md")).filter((heading) => /^[A-Z_]+$/.test(heading));
  expect(entries.sort()).toEqual([...ERROR_CODES].sort());
});

test("every link leads somewhere", () => {
  const broken = pages().flatMap(({ path, text }) =>
    links(text)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !leadsSomewhere(path, target))
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : join(dirname(from), file);
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || headings(textOf(path)).map(anchorOf).includes(anchor);
}

test("the examples of configuration files can be read", () => {
  const schemas: Readonly<Record<string, string>> = {
    "llm.json": "llm-settings",
    "tooling.json": "tooling",
    "worker-pools.json": "worker-pools",
    "patterns.yaml": "patterns-file",
  };
  const examples = blocks(textOf("docs/configuration.md")).filter(
    ({ heading }) => heading in schemas,
  );
  expect(examples.map(({ heading }) => heading)).toEqual(Object.keys(schemas));
  for (const { heading, language, text } of examples) {
    const value: unknown = language === "json" ? JSON.parse(text) : parse(text);
    expect(PUBLISHED[schemas[heading]!]!.safeParse(value)).toMatchObject({ success: true });
  }
});

test("docs/configuration.md names every setting", () => {
  const { properties } = jsonSchema(Settings) as { properties: object };
  const text = textOf("docs/configuration.md");
  expect(Object.keys(properties).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("docs/configuration.md names every variable that the programs read", () => {
  const sources = ["packages/server/src", "packages/runner/src", "packages/agents/src"];
  const read = new Set<string>();
  for (const folder of sources) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
      for (const [word] of textOf(join(folder, name)).matchAll(/\b(?:MULTIVERSE|OTEL)_[A-Z_]+\b/g))
        read.add(word);
    }
  }
  const text = textOf("docs/configuration.md");
  expect(read).toContain("MULTIVERSE_HOME");
  expect([...read].filter((name) => !text.includes(name))).toEqual([]);
});

test.each(readdirSync(join(root, "examples")).filter((name) => !name.startsWith("demo-")))(
  "examples/%s is a task that can be run",
  async (name) => {
    const { code, stdout, stderr } = await runCommand(
      process.execPath,
      [join(root, "dist/agent-runner.mjs"), "--dry-run", "--task", join(root, "examples", name)],
      { cwd: root, env: { PATH: process.env["PATH"], HOME: join(root, "test-results") } },
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("exec_plan:");
    expect(stderr).not.toMatch(/unknown key/i);
  },
);
