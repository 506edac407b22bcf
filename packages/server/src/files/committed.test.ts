import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { committedFiles } from "./committed.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "multiverse-committed-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const WHO = ["-c", "user.email=p@example.com", "-c", "user.name=p"];
const git = (cwd: string, ...args: string[]): void =>
  void execFileSync("git", [...WHO, ...args], { cwd, env, stdio: "pipe" });

function repository(name: string, ...how: string[]): string {
  const folder = join(root, name);
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main", ...how);
  commit(folder, `in ${name}`);
  return folder;
}

function commit(folder: string, content: string): void {
  writeFileSync(join(folder, "file.txt"), content);
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", content);
  writeFileSync(join(folder, "file.txt"), "not committed");
}

/** What file.txt held in the last commit, as text. */
async function held(projectRoot: string): Promise<string | null> {
  const options = { projectRoot, scratch: join(root, "scratch"), largest: 1_000 };
  mkdirSync(options.scratch, { recursive: true });
  const path = process.env["PATH"] ?? "";
  const file = (await committedFiles(["file.txt"], { ...options, path })).get("file.txt");
  return file?.toString() ?? null;
}

describe.each([
  ["sha1", []],
  ["sha256", ["--object-format=sha256"]],
])("in a repository with hashes of %s", (kind, how) => {
  test("the last commit is read, also when its branch is packed or HEAD is on none", async () => {
    const main = repository(kind, ...how);
    expect(await held(main)).toBe(`in ${kind}`);
    git(main, "pack-refs", "--all");
    git(main, "gc", "-q");
    expect(await held(main)).toBe(`in ${kind}`);
    git(main, "checkout", "-q", "-f", "--detach");
    expect(await held(main)).toBe(`in ${kind}`);
  });

  test("a linked worktree has a last commit of its own", async () => {
    const main = repository(kind, ...how);
    const linked = join(root, "linked");
    git(main, "worktree", "add", "-q", "-b", "side", linked);
    commit(linked, "on the side");
    expect([await held(linked), await held(main)]).toEqual(["on the side", `in ${kind}`]);
    git(main, "pack-refs", "--all");
    expect(await held(linked)).toBe("on the side");
  });
});

describe("a .git that only says it belongs to another repository", () => {
  test.each([
    ["a repository", (main: string) => join(main, ".git")],
    ["another project's worktree", (main: string) => join(main, ".git/worktrees/linked")],
    ["a folder that is not there", (main: string) => join(main, ".git/worktrees/gone")],
  ])("is not believed when it names %s", async (_, target) => {
    const main = repository("main");
    git(main, "worktree", "add", "-q", "-b", "side", join(root, "linked"));
    const project = join(root, "project");
    mkdirSync(project);
    writeFileSync(join(project, ".git"), `gitdir: ${target(main)}\n`);
    expect(await held(project)).toBeNull();
  });
});

test("without a repository nothing was committed", async () => {
  expect(await held(root)).toBeNull();
});
