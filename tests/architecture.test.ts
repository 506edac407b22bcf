import { expect, test } from "vitest";
import { readSources } from "../scripts/architecture/read-sources.mjs";
import { violations } from "../scripts/architecture/violations.mjs";
import { root } from "../scripts/paths.mjs";

test("the packages keep to the architecture", () => {
  expect(violations(readSources(root))).toEqual([]);
});

/** What is found in a tree that holds only these files. */
function found(sources: Record<string, string>): string[] {
  const paths = Object.entries(sources).map(([path, text]) => [`packages/${path}`, text] as const);
  return violations(new Map(paths));
}

test.each([
  ["protocol/src/a.ts", "@multiverse/agents/exec", "protocol must not import agents"],
  ["agents/src/a.ts", "@multiverse/runner/fsm", "agents must not import runner"],
  ["orchestrator/src/a.ts", "@multiverse/agents/exec", "orchestrator must not import agents"],
  ["orchestrator/src/a.ts", "@multiverse/runner/fsm", "orchestrator must not import runner"],
  ["runner/src/a.ts", "@multiverse/orchestrator/ports", "runner must not import orchestrator"],
  ["runner/src/a.ts", "@multiverse/server/app", "runner must not import server"],
  ["web/src/a.ts", "@multiverse/server/app", "web must not import server"],
  ["server/src/a.ts", "@multiverse/web/App", "server must not import web"],
  ["orchestrator/src/a.ts", "../../runner/src/fsm.ts", "orchestrator must not import runner"],
])("an arrow that goes the wrong way is named: %s → %s", (path, from, message) => {
  const expected = `packages/${path}: ${message} ("${from}")`;
  expect(found({ [path]: `import { x } from "${from}";` })).toEqual([expected]);
  expect(found({ [path]: `import type { X } from "${from}";` })).toEqual([expected]);
  expect(found({ [path]: `export * from "${from}";` })).toEqual([expected]);
  expect(found({ [path]: `const x = await import("${from}");` })).toEqual([expected]);
  expect(found({ [path]: `type X = import("${from}").X;` })).toEqual([expected]);
});

test("a wrong arrow in a Svelte component is found", () => {
  const component = `<script lang="ts">\nimport { x } from "@multiverse/server/app";\n</script>\n<p>{x}</p>`;
  expect(found({ "web/src/App.svelte": component })).toHaveLength(1);
});

test("a package that is not in the table is found", () => {
  expect(found({ "utils/src/a.ts": "" })).toEqual([
    "packages/utils/src/a.ts: packages/utils is not in the table of arrows",
  ]);
});

test("the right arrows are allowed", () => {
  const sources = {
    "runner/src/a.ts": `import { x } from "@multiverse/agents/exec"; import { y } from "@multiverse/protocol/fact";`,
    "server/src/a.ts": `import { x } from "@multiverse/orchestrator/ports"; import { y } from "@multiverse/runner/fsm";`,
    "web/src/a.ts": `import type { Fact } from "@multiverse/protocol/fact"; import { b } from "./b.ts";`,
  };
  expect(found(sources)).toEqual([]);
});

test.each([
  ["runner/src/a.ts", "node:child_process", "starts processes"],
  ["server/src/a.ts", "child_process", "starts processes"],
  ["orchestrator/src/chat/a.ts", "node:fs/promises", "touches the file system"],
  ["orchestrator/src/a.ts", "fs", "touches the file system"],
  ["orchestrator/src/store/a.ts", "node:http", "opens or accepts connections"],
  ["runner/src/a.ts", "node:net", "opens or accepts connections"],
  ["orchestrator/src/a.ts", "ws", "opens or accepts connections"],
  ["web/src/a.ts", "hono/client", "opens or accepts connections"],
  ["web/src/a.ts", "node:path", "needs Node"],
  ["protocol/src/a.ts", "crypto", "needs Node"],
])("an effect outside its owner is named: %s with %s", (path, module, effect) => {
  for (const source of [`import x from "${module}";`, `const x = await import("${module}");`]) {
    expect(found({ [path]: source })).toContainEqual(
      expect.stringMatching(new RegExp(`^packages/${path}: "[^"]+" ${effect}, which only `)),
    );
  }
});

test("types of an effect are no effect, except where Node itself is absent", () => {
  const source = `import type { ChildProcess } from "node:child_process";`;
  expect(found({ "server/src/a.ts": source })).toEqual([]);
  expect(found({ "protocol/src/a.ts": source })).toHaveLength(1);
});

test.each([
  ["process.env", "reads the environment", "const x = process.env.HOME;"],
  ["process.env", "reads the environment", "const { HOME } = process.env;"],
  ["process.env", "reads the environment", 'const x = process["env"];'],
  ["process.env", "reads the environment", "start({ env: globalThis.process.env });"],
  ["fetch", "makes requests", "await fetch(url);"],
  ["fetch", "makes requests", "const get = globalThis.fetch;"],
  ["fetch", "makes requests", "ask({ fetch });"],
])("%s outside its owner is named (%s): %s", (name, effect, source) => {
  const [message, ...others] = found({ "orchestrator/src/a.ts": source });
  expect(message).toMatch(`packages/orchestrator/src/a.ts: ${name} ${effect}, which only `);
  expect(others).toEqual([]);
});

test("a name that is not the global is left alone", () => {
  const sources = {
    "orchestrator/src/a.ts": `port.fetch(url); const x = { fetch: 1 }; type T = { fetch: string }; // process.env`,
    "server/src/main.ts": "const x = process.env.HOME;",
    "runner/src/main.ts": "const x = process.env.HOME;",
  };
  expect(found(sources)).toEqual([]);
});

test("tests and their support may do anything, but nothing that ships may import them", () => {
  const support = 'import { spawn } from "node:child_process";';
  const sources = {
    "orchestrator/src/store/testing/fixture.ts": support,
    "orchestrator/src/a.test.ts": support,
    "orchestrator/src/a.ts": `import { fixture } from "./store/testing/fixture.ts";`,
  };
  expect(found(sources)).toEqual([
    'packages/orchestrator/src/a.ts: "./store/testing/fixture.ts" is for tests only',
  ]);
});

test("an import cycle between files is named with its way round", () => {
  const sources = {
    "agents/src/a.ts": `import { b } from "./cli/b.ts";`,
    "agents/src/cli/b.ts": `export { c } from "@multiverse/agents/c";`,
    "agents/src/c.ts": `const a = await import("./a.ts");`,
  };
  expect(found(sources)).toEqual([
    "import cycle: packages/agents/src/a.ts → packages/agents/src/cli/b.ts → packages/agents/src/c.ts → packages/agents/src/a.ts",
  ]);
});

test("a cycle through types alone is none: it is gone when the program runs", () => {
  const sources = {
    "agents/src/a.ts": `import type { B } from "./b.ts";`,
    "agents/src/b.ts": `import { a } from "./a.ts";`,
  };
  expect(found(sources)).toEqual([]);
});
