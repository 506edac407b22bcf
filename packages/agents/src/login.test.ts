import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claude } from "./cli/claude.ts";
import { codex } from "./cli/codex.ts";
import { gemini } from "./cli/gemini.ts";
import { findLogin } from "./login.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "login-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const none = { hostEnv: {}, taskEnv: {} };
const codexFile = (): string => {
  mkdirSync(join(home, ".codex"), { recursive: true });
  const path = join(home, ".codex/auth.json");
  writeFileSync(
    path,
    JSON.stringify({ OPENAI_API_KEY: "sk-in-the-file-0123456789", last: "2026" }),
  );
  return path;
};

test("without anything there is no login", () => {
  expect(findLogin(codex, { home, ...none })).toBeNull();
});

test("Codex's login file wins over the host's keys, its own key over OpenAI's, which is handed over as its own", () => {
  const hostEnv = { OPENAI_API_KEY: "sk-openai-0123456789" };
  expect(findLogin(codex, { home, ...none, hostEnv })).toMatchObject({
    mounts: [],
    env: { CODEX_API_KEY: "sk-openai-0123456789" },
    secrets: ["sk-openai-0123456789"],
  });
  const both = { ...hostEnv, CODEX_API_KEY: "sk-codex-0123456789" };
  expect(findLogin(codex, { home, ...none, hostEnv: both })?.env).toEqual({
    CODEX_API_KEY: "sk-codex-0123456789",
  });
  const source = codexFile();
  expect(findLogin(codex, { home, ...none, hostEnv: both })).toMatchObject({
    mounts: [{ source, target: ".codex/auth.json" }],
    env: {},
    secrets: ["sk-in-the-file-0123456789"],
  });
});

test("a key in the task wins over everything", () => {
  codexFile();
  const found = findLogin(codex, {
    home,
    hostEnv: {},
    taskEnv: { CODEX_API_KEY: "sk-of-the-task" },
  });
  expect(found).toMatchObject({ mounts: [], env: { CODEX_API_KEY: "sk-of-the-task" } });
});

test("all that Claude keeps is found, and only what is there", () => {
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/.credentials.json"), '{"token":"secret-token-0123456789"}');
  writeFileSync(join(home, ".claude.json"), "{}");
  const found = findLogin(claude, { home, ...none });
  expect(found?.mounts.map(({ target }) => target)).toEqual([".claude", ".claude.json"]);
  expect(found?.secrets).toEqual(["secret-token-0123456789"]);
});

test("Vertex is a way to log in that brings its project along and has nothing to hide", () => {
  const hostEnv = { GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_PROJECT: "p-1" };
  expect(findLogin(gemini, { home, ...none, hostEnv })).toMatchObject({
    env: { GOOGLE_GENAI_USE_VERTEXAI: "true", GOOGLE_CLOUD_PROJECT: "p-1" },
    secrets: [],
  });
});

test.each([
  ["a file of the usual name", "auth.json", ".codex/auth.json"],
  ["a file of another name", "other.json", ".codex/auth.json"],
])("auth_path: %s takes the login file's place", (_, name, target) => {
  const source = join(home, name);
  writeFileSync(source, "{}");
  expect(findLogin(codex, { home, ...none, authPath: source })?.mounts).toEqual([
    { source, target },
  ]);
});

test("auth_path: a folder takes the login folder's place, and ~ is the home", () => {
  mkdirSync(join(home, "mine"));
  const mounts = findLogin(codex, { home, ...none, authPath: "~/mine" })?.mounts;
  expect(mounts).toEqual([{ source: join(home, "mine"), target: ".codex" }]);
});

test("auth_path that does not exist is an error that says so", () => {
  expect(() => findLogin(codex, { home, ...none, authPath: "/nowhere/auth.json" })).toThrow(
    /does not exist/,
  );
});

test("the same account has the same fingerprint, another one another, and it gives nothing away", () => {
  const of = (key: string) =>
    findLogin(codex, { home, hostEnv: { CODEX_API_KEY: key }, taskEnv: {} })?.credential;
  expect(of("sk-a-0123456789")).toBe(of("sk-a-0123456789"));
  expect(of("sk-a-0123456789")).not.toBe(of("sk-b-0123456789"));
  expect(of("sk-a-0123456789")).toMatch(/^[0-9a-f]{16}$/);
});

test("looking for a login changes nothing", () => {
  const path = codexFile();
  chmodSync(path, 0o400);
  const before = readdirSync(home, { recursive: true });
  findLogin(codex, { home, ...none });
  expect(readdirSync(home, { recursive: true })).toEqual(before);
});

test("an address set beside a key goes with it, and with no other login", () => {
  const hostEnv = {
    OPENAI_API_KEY: "sk-openai-0123456789",
    OPENAI_BASE_URL: "https://models.example/v1",
  };
  expect(findLogin(codex, { home, ...none, hostEnv })?.address).toBe("https://models.example/v1");
  const taskEnv = { CODEX_API_KEY: "sk-of-the-task" };
  expect(findLogin(codex, { home, hostEnv, taskEnv })?.address).toBeNull();
  codexFile();
  expect(findLogin(codex, { home, ...none, hostEnv })?.address).toBeNull();
});
