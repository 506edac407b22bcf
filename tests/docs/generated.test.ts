import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { expect, test } from "vitest";
import { root } from "../../scripts/paths.mjs";
import { startTestServer } from "../server/test-server.ts";
import { cliReference } from "./cli-reference.ts";
import { protocolReference, type OpenApi } from "./protocol-reference.ts";
import { taskYamlReference } from "./task-yaml.ts";

/** Compares with the file as it is checked in; `npx vitest run tests/docs -u` writes it anew. */
async function isCurrent(name: string, markdown: string): Promise<void> {
  const text = await format(markdown, {
    parser: "markdown",
    printWidth: 100,
    proseWrap: "preserve",
  });
  await expect(text).toMatchFileSnapshot(join(root, "docs", name));
}

test("docs/task-yaml.md is what the schema says", async () => {
  const example = await readFile(join(root, "examples/codex.yaml"), "utf8");
  await isCurrent("task-yaml.md", taskYamlReference(example));
});

test("docs/cli.md is what the programs say with --help", { timeout: 60_000 }, async () => {
  await isCurrent("cli.md", await cliReference());
});

test("docs/protocol.md lists the routes that the server has", async () => {
  const server = await startTestServer();
  try {
    const openApi = (await (await server.api("/openapi.json")).json()) as OpenApi;
    await isCurrent("protocol.md", protocolReference(openApi));
  } finally {
    await server.stop();
  }
});
