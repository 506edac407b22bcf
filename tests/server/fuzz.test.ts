import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ErrorBody } from "@multiverse/protocol/error";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { valuesOf, type Schema } from "./openapi-values.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly schema: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: Schema } };
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let server: TestServer;
let operations: { method: string; path: string; operation: Operation }[];
beforeAll(async () => {
  server = await startTestServer();
  await server.post(`${server.ws}/tasks`, { title: "there before" });
  const { paths } = (await (await server.api("/openapi.json")).json()) as Document;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => server.stop());

/** Until what earlier requests set going has come to rest. */
async function quiet(): Promise<void> {
  const { workspace } = server.open;
  for (let seq = -1; seq !== workspace.state.seq || workspace.state.index.running.size > 0;) {
    seq = workspace.state.seq;
    await workspace.flush();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Everything a request could have changed: the workspace, the settings and the list of workspaces. */
async function everything(): Promise<string> {
  const { config, workspaces } = server.home;
  const files = (await readdir(config)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(config, name), "utf8")));
  return [server.stateText(), ...files, ...texts, ...(await readdir(workspaces))].join("\n");
}

/** More of them, or the same again: MULTIVERSE_FUZZ_RUNS=500 MULTIVERSE_FUZZ_SEED=1. */
const RUNS = Number(process.env["MULTIVERSE_FUZZ_RUNS"] ?? 25);
const SEED = process.env["MULTIVERSE_FUZZ_SEED"];

/** Routes that would end the session or leave the test's own folder. */
const isOff = (path: string): boolean =>
  ["/token/rotate", "/login"].some((end) => path.endsWith(end)) || path === "/api/v1/workspaces";

const queryText = (asked: Record<string, unknown>): string =>
  Object.entries(asked)
    .map(([name, each]) => `${name}=${encodeURIComponent(wellFormed(JSON.stringify(each) ?? ""))}`)
    .join("&");
/** A lone surrogate cannot be in a URL at all. */
const wellFormed = (text: string): string => Buffer.from(text).toString("utf8");

function requests({
  method,
  path,
  operation,
}: (typeof operations)[number]): fc.Arbitrary<{ url: string; init: RequestInit }> {
  const id = fc.constantFrom("task-0001", "a", "x".repeat(128), "..", "nope");
  const filled = fc.array(id, { minLength: 2, maxLength: 2 }).map((ids) => {
    const rest = [...ids];
    return path
      .replace("/api/v1", "")
      .replace("{ws}", server.open.workspace.id)
      .replace(/\{[a-z]+\}/g, () => encodeURIComponent(rest.pop() ?? ""));
  });
  const query = fc.record(
    Object.fromEntries(
      (operation.parameters ?? [])
        .filter((p) => p.in === "query")
        .map((p) => [p.name, valuesOf(p.schema)]),
    ),
    { requiredKeys: [] },
  );
  const schema = operation.requestBody?.content["application/json"].schema;
  const body = schema ? valuesOf(schema) : fc.constant(undefined);
  return fc.tuple(filled, query, body).map(([url, asked, value]) => ({
    url: `${url}?${queryText(asked)}`,
    init: {
      method: method.toUpperCase(),
      ...(method === "get" ? {} : { body: JSON.stringify(value) ?? "" }),
    },
  }));
}

test(
  "whatever the OpenAPI document allows to be sent, no answer is a 500, none is late, and a refusal changes nothing",
  async () => {
    const tried = operations.filter(({ path }) => !isOff(path));
    expect(tried.length).toBeGreaterThan(35);
    let refusals = 0;
    let accepted = 0;
    for (const operation of tried) {
      await fc.assert(
        fc.asyncProperty(requests(operation), async ({ url, init }) => {
          await quiet();
          const before = operation.method === "get" ? "" : await everything();
          const answer = await server.api(url, { ...init, signal: AbortSignal.timeout(10_000) });
          const text = await answer.text();
          expect([operation.path, answer.status < 500 || answer.status === 503, text]).toEqual([
            operation.path,
            true,
            text,
          ]);
          const isRefused = answer.status >= 400;
          if (isRefused) refusals += 1;
          else accepted += 1;
          const mayChange = !isRefused || operation.method === "get";
          expect(mayChange ? before : await everything()).toBe(before);
          expect(isRefused ? ErrorBody.safeParse(JSON.parse(text)).success : true).toBe(true);
        }),
        { numRuns: RUNS, endOnFailure: true, ...(SEED ? { seed: Number(SEED) } : {}) },
      );
    }
    expect(refusals).toBeGreaterThan(100);
    expect(accepted).toBeGreaterThan(50);
    expect(server.errors).toEqual([]);
  },
  RUNS * 10_000,
);

test.each(["{", "[]", "null", '"x"', "{}x", "\u0000", '{"title":1}', `${"[".repeat(100_000)}`])(
  "a body of %s is refused in words",
  async (body) => {
    const answer = await server.api(`${server.ws}/tasks`, { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: "INVALID_INPUT" } });
  },
);
