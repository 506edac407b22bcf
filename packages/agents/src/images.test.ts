import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectEngine, type Engine } from "./docker/engine.ts";
import { buildImages, ensureImage } from "./images.ts";

let folder: string;
let server: Server;
let engine: Engine;
let asked: string[];
let contexts: string[];
let answers: Record<string, { status?: number; lines: object[] }>;
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "images-"));
  asked = [];
  contexts = [];
  answers = {};
  for (const kind of ["codex-cli", "claude-code", "gemini-cli", "cursor-cli"]) {
    writeFileSync(
      join(folder, `${kind}.Dockerfile`),
      `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\n# ${kind}\n`,
    );
  }
  server = createServer((incoming, response) => {
    const path = decodeURIComponent(incoming.url ?? "").replace(/^\/v[\d.]+/, "");
    asked.push(`${incoming.method ?? ""} ${path}`);
    const found = Object.entries(answers).find(([prefix]) => path.startsWith(prefix))?.[1];
    let body = "";
    incoming.setEncoding("latin1").on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      if (path.startsWith("/build")) contexts.push(body);
      response.writeHead(found?.status ?? 200);
      response.end((found?.lines ?? [{}]).map((line) => JSON.stringify(line)).join("\r\n"));
    });
  }).listen(join(folder, "engine.sock"));
  await once(server, "listening");
  engine = connectEngine(join(folder, "engine.sock"));
});
afterEach(() => {
  engine.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const missing = { status: 404, lines: [{ message: "No such image" }] };
const events: string[] = [];
const ensure = (image: string): Promise<void> => {
  events.length = 0;
  return ensureImage(image, { engine, dockerfiles: folder, signal }, (event) =>
    events.push(event.message ?? ""),
  );
};

test("an image that is here is not asked for anywhere else", async () => {
  await ensure("agent-runner-codex");
  expect(asked).toEqual(["GET /images/agent-runner-codex/json"]);
});

test("one that is not is pulled, and the progress is told", async () => {
  answers = {
    "/images/reg.example": missing,
    "/images/create": { lines: [{ id: "a1", status: "Downloading", progress: "[==>] 1MB/3MB" }] },
  };
  await ensure("reg.example:5000/team/image:v2");
  expect(asked.at(-1)).toBe("POST /images/create?fromImage=reg.example:5000/team/image&tag=v2");
  expect(events).toContain("a1 Downloading [==>] 1MB/3MB");
});

test("one of ours that cannot be pulled is built", async () => {
  answers = {
    "/images/agent-runner-gemini": missing,
    "/images/create": { lines: [{ error: "pull access denied" }] },
    "/build": { lines: [{ stream: "Step 1/2" }, { stream: "Successfully built" }] },
  };
  await ensure("agent-runner-gemini");
  expect(asked.at(-1)).toContain("POST /build?t=agent-runner-gemini:latest");
  expect(contexts[0]).toContain("# gemini-cli");
  expect(events).toContain("Step 1/2");
});

test("one that can neither be pulled nor built says what to do", async () => {
  answers = {
    "/images/agent-runner-codex": missing,
    "/images/create": { status: 500, lines: [{ message: "no route to host" }] },
    "/build": { lines: [{ error: "npm could not be reached" }] },
  };
  await expect(ensure("agent-runner-codex")).rejects.toMatchObject({
    code: "IMAGE_MISSING",
    message: expect.stringContaining("no route to host") as string,
    hint: expect.stringContaining("multiverse images build codex-cli") as string,
  });
});

test("somebody else's that cannot be pulled is not built", async () => {
  answers = {
    "/images/mine": missing,
    "/images/create": { status: 404, lines: [{ message: "not found" }] },
  };
  await expect(ensure("mine")).rejects.toMatchObject({ code: "IMAGE_MISSING" });
  expect(asked.some((call) => call.includes("/build"))).toBe(false);
});

test("a build takes another base, and all images are built when none is named", async () => {
  const built = await buildImages([], {
    engine,
    dockerfiles: folder,
    signal,
    onLine: () => {},
    baseImage: "mirror/node:22",
  });
  expect(built).toEqual(
    ["codex", "claude", "gemini", "cursor"].map((name) => `agent-runner-${name}:latest`),
  );
  expect(asked[0]).toContain('"BASE_IMAGE":"mirror/node:22"');
  await expect(
    buildImages(["vim"], { engine, dockerfiles: folder, signal, onLine: () => {} }),
  ).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
});

test("one that cannot be built does not keep the others from being built, and is named", async () => {
  answers = {
    "/build?t=agent-runner-claude": { lines: [{ error: "npm could not be reached" }] },
    "/build?t=agent-runner-cursor": { lines: [{ error: "curl: (6) no such host" }] },
  };
  const build = buildImages([], { engine, dockerfiles: folder, signal, onLine: () => {} });
  await expect(build).rejects.toMatchObject({
    code: "IMAGE_MISSING",
    message: expect.stringMatching(
      /^2 of 4 images.*agent-runner-claude.*npm.*agent-runner-cursor.*curl/,
    ) as string,
    hint: expect.stringContaining("--base-image") as string,
  });
  expect(asked).toHaveLength(4);
});
