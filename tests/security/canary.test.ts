import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  clientOf,
  finish,
  makePlace,
  readServerJson,
  serveDemo,
  type Place,
} from "../server/program.ts";

const CANARY = "sk-canary-7f3a91c05d2e";
let place: Place;
afterEach(() => place.remove());

/** Files below a folder that hold one of these texts, in whatever encoding we can think of. */
async function holders(folder: string, texts: readonly string[]): Promise<string[]> {
  const forms = texts.flatMap((text) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString("base64").slice(0, -3),
  ]);
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, "latin1");
    if (forms.some((form) => text.includes(form))) found.push(path);
  }
  return found;
}

test("a key in the environment, the token and a login code are nowhere but where they belong", async () => {
  place = await makePlace({ OPENAI_API_KEY: CANARY, MULTIVERSE_LOG_LEVEL: "debug" });
  const run = await finish(place, [
    "run",
    "Say hello",
    "--project",
    place.project,
    "--demo",
    "--until-idle",
  ]);
  expect(run.code).toBe(0);
  const server = await serveDemo(place);
  const { token } = await readServerJson(place);
  const code = /#code=(\S+)/.exec(server.output())?.[1] ?? "";
  try {
    const client = await clientOf(place);
    const login = await fetch(`${client.url}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    expect(login.status).toBe(200);
    await client.text("/workspaces");
    await fetch(`${client.url}/api/v1/workspaces`, { headers: { authorization: "Bearer wrong" } });
  } finally {
    server.child.kill("SIGTERM");
    await server.exit;
  }
  expect(await holders(place.root, [CANARY])).toEqual([]);
  expect(await holders(place.root, [token])).toEqual([join(place.home, "server.json")]);
  expect(await holders(place.root, [code])).toEqual([]);
  const said = run.output + server.output();
  expect([said.includes(CANARY), said.includes(token)]).toEqual([false, false]);
  // Once, in the line that is meant to be opened.
  expect(said.split(code)).toHaveLength(2);
}, 90_000);
