import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { uncommitted } from "./uncommitted.ts";

let root = "";
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "uncommitted-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const look = (folder = root) =>
  uncommitted(folder, process.env["PATH"] ?? "", AbortSignal.timeout(10_000));
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
const git = (...args: string[]): void =>
  void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: root });

function commitAll(): void {
  git("add", "-A");
  git("commit", "-qm", "x");
}

test("a folder without a repository has nothing to compare with", async () => {
  write("a.txt", "1");
  expect(await look()).toBeNull();
});

test("changed, new and deleted files are named, and a clean tree has none", async () => {
  git("init", "-q");
  write("changed.txt", "1");
  write("gone.txt", "1");
  write("日本 語.txt", "1");
  commitAll();
  expect(await look()).toEqual([]);
  write("changed.txt", "2");
  write("new.txt", "1");
  write("日本 語.txt", "2");
  rmSync(join(root, "gone.txt"));
  expect([...((await look()) ?? [])].sort()).toEqual(
    ["changed.txt", "gone.txt", "new.txt", "日本 語.txt"].sort(),
  );
});

test("only what lies in the folder counts, and our own notes do not", async () => {
  git("init", "-q");
  mkdirSync(join(root, "app/.agent-runner"), { recursive: true });
  write("app/a.txt", "1");
  commitAll();
  write("outside.txt", "1");
  write("app/.agent-runner/note.md", "1");
  expect(await look(join(root, "app"))).toEqual([]);
  write("app/a.txt", "2");
  expect(await look(join(root, "app"))).toEqual(["a.txt"]);
});

test("no program of the repository's configuration is run", async () => {
  git("init", "-q");
  write("a.txt", "1");
  commitAll();
  const trap = (name: string): string => `touch '${join(root, "..", `trap-${name}`)}'; cat`;
  git("config", "filter.evil.clean", trap("filter"));
  git("config", "core.fsmonitor", trap("fsmonitor"));
  write(".gitattributes", "* filter=evil\n");
  write("a.txt", "2");
  expect(await look()).toContain("a.txt");
  expect(existsSync(join(root, "..", "trap-filter"))).toBe(false);
  expect(existsSync(join(root, "..", "trap-fsmonitor"))).toBe(false);
});

test("a damaged repository is no reason to fail", async () => {
  mkdirSync(join(root, ".git"));
  expect(await look()).toBeNull();
});
