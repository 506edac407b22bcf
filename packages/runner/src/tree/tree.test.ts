import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { unquote } from "./git.ts";
import { openTree } from "./open-tree.ts";
import type { Change } from "./tree.ts";
import { treeWarnings } from "./warnings.ts";

const PATH = process.env.PATH ?? "";
const signal = new AbortController().signal;
let root = "";
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "tree-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const git = (...args: string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args],
    { cwd: root, encoding: "utf8" },
  );
function commitAll(): void {
  git("add", "-A");
  git("commit", "-qm", "x");
}

/** What a tree says about what `work` did. */
async function changesOf(work: () => void, folder = root): Promise<string[]> {
  const tree = await openTree(folder, PATH, signal);
  const before = await tree.look(signal);
  work();
  const changes = await tree.changes(before, await tree.look(signal), signal);
  return changes.map(({ path, kind }: Change) => `${kind} ${path}`);
}

const KINDS = [
  ["a plain folder", () => {}],
  [
    "a git work tree",
    () => {
      git("init", "-q");
      commitAll();
    },
  ],
] as const;

test.each(KINDS)(
  "in %s, added, modified, deleted and emptied files are found, sorted, ours left out",
  async (_, prepare) => {
    for (const name of ["keep", "change", "gone", "empty", "touched", "folder/deep"])
      write(name, name);
    prepare();
    const changes = await changesOf(() => {
      write("change", "other");
      write("new file", "x");
      write("folder/deep", "other");
      write("日本語.txt", "x");
      write("empty", "");
      rmSync(join(root, "gone"));
      utimesSync(join(root, "touched"), 1, 1);
      write(".agent-runner/task-1.md", "note");
    });
    expect(changes).toEqual([
      "modified change",
      "emptied empty",
      "modified folder/deep",
      "deleted gone",
      "added new file",
      "added 日本語.txt",
    ]);
  },
);

test("in a plain folder, a change that keeps size and time is found", async () => {
  write("a", "one");
  utimesSync(join(root, "a"), 1, 1);
  const changes = await changesOf(() => {
    write("a", "two");
    utimesSync(join(root, "a"), 1, 1);
  });
  expect(changes).toEqual(["modified a"]);
});

test("what was dirty before the run counts only if the run changed it again", async () => {
  for (const name of ["a", "b", "c"]) write(name, "1");
  git("init", "-q");
  commitAll();
  write("a", "dirty");
  write("b", "dirty");
  write("untracked", "x");
  write("untracked-too", "x");
  rmSync(join(root, "c"));
  const changes = await changesOf(() => {
    write("b", "dirtier");
    write("untracked-too", "y");
    write("c", "back");
  });
  expect(changes).toEqual(["modified b", "added c", "modified untracked-too"]);
});

test("files that the worker committed count, files that were dirty and are only committed do not", async () => {
  write("a", "1");
  write("b", "1");
  git("init", "-q");
  commitAll();
  write("b", "dirty");
  const changes = await changesOf(() => {
    write("a", "2");
    write("new", "x");
    commitAll();
    write("later", "x");
  });
  expect(changes).toEqual(["modified a", "added later", "added new"]);
});

test("a repository without a commit is fine", async () => {
  git("init", "-q");
  expect(await changesOf(() => write("a", "x"))).toEqual(["added a"]);
});

test("ignored files are not the worker's changes", async () => {
  write(".gitignore", "dist/\n");
  git("init", "-q");
  commitAll();
  expect(await changesOf(() => (write("dist/x", "x"), write("src/x", "x")))).toEqual([
    "added src/x",
  ]);
});

test("a folder inside a repository sees its own part, with paths of its own", async () => {
  write("app/a", "1");
  write("lib/b", "1");
  git("init", "-q");
  commitAll();
  const changes = await changesOf(
    () => (write("app/a", "2"), write("lib/b", "2"), write("app/.agent-runner/x", "")),
    join(root, "app"),
  );
  expect(changes).toEqual(["modified a"]);
});

test("a folder that a surrounding repository ignores is listed", async () => {
  write(".gitignore", "scratch/\n");
  write("scratch/a", "1");
  git("init", "-q");
  commitAll();
  expect(await changesOf(() => write("scratch/a", "2"), join(root, "scratch"))).toEqual([
    "modified a",
  ]);
});

test("a linked work tree is followed to its repository", async () => {
  write("a", "1");
  git("init", "-q");
  commitAll();
  git("worktree", "add", "-q", join(root, "linked"));
  expect(await changesOf(() => write("linked/a", "2"), join(root, "linked"))).toEqual([
    "modified a",
  ]);
});

test("nothing that the repository's configuration, hooks or attributes name is run", async () => {
  const sentinel = join(root, "..", `sentinel-${process.pid}`);
  rmSync(sentinel, { force: true });
  write("a.txt", "1");
  git("init", "-q");
  commitAll();
  const bait = join(root, ".git/bait.sh");
  writeFileSync(bait, `#!/bin/sh\ntouch '${sentinel}'\ncat\n`);
  chmodSync(bait, 0o755);
  for (const key of [
    "core.fsmonitor",
    "filter.bait.clean",
    "filter.bait.smudge",
    "filter.bait.process",
    "diff.bait.textconv",
    "diff.external",
    "core.sshCommand",
    "core.pager",
  ]) {
    git("config", key, bait);
  }
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  for (const hook of ["post-index-change", "post-checkout", "reference-transaction"]) {
    writeFileSync(join(root, ".git/hooks", hook), `#!/bin/sh\ntouch '${sentinel}'\n`, {
      mode: 0o755,
    });
  }
  write(".gitattributes", "* filter=bait diff=bait\n");
  try {
    const tree = await openTree(root, PATH, signal);
    const before = await tree.look(signal);
    write("a.txt", "2");
    const after = await tree.look(signal);
    expect(await tree.changes(before, after, signal)).toContainEqual({
      path: "a.txt",
      kind: "modified",
    });
    expect(await tree.diffStat(before, after, signal)).toContain("a.txt");
    expect(existsSync(sentinel)).toBe(false);
    // The bait is real: git as people call it takes it.
    execFileSync("git", ["status"], { cwd: root, stdio: "ignore" });
    expect(existsSync(sentinel)).toBe(true);
  } finally {
    rmSync(sentinel, { force: true });
  }
});

test.each(KINDS)(
  "in %s, a repository made inside is named by what git would obey in it, also once it is staged",
  async (_, prepare) => {
    write("a", "1");
    git("init", "-q", "there");
    git("-C", "there", "commit", "-q", "--allow-empty", "-m", "x");
    prepare();
    const changes = await changesOf(() => {
      git("init", "-q", "sub");
      git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x");
      git("-C", "there", "config", "core.fsmonitor", "evil");
      write("linked/.git", "gitdir: ../sub/.git");
      if (existsSync(join(root, ".git"))) git("add", "sub");
    });
    expect(changes).toEqual([
      "added linked/.git",
      "added sub/.git/config",
      "modified there/.git/config",
    ]);
  },
);

test("a repository put in place of the first one later is not asked", async () => {
  write("a", "1");
  git("init", "-q");
  commitAll();
  const elsewhere = mkdtempSync(join(tmpdir(), "git-dir-"));
  execFileSync("git", ["init", "-q", "--separate-git-dir", join(elsewhere, "g")], { cwd: root });
  const tree = await openTree(root, PATH, signal);
  const before = await tree.look(signal);
  write(".git", "gitdir: /nowhere\n");
  write("a", "2");
  expect(await tree.changes(before, await tree.look(signal), signal)).toEqual([
    { path: "a", kind: "modified" },
  ]);
  rmSync(elsewhere, { recursive: true });
});

test("a repository that is broken while it is watched is an error, not an empty answer; so is a cancel", async () => {
  write("a", "1");
  git("init", "-q");
  commitAll();
  const tree = await openTree(root, PATH, signal);
  const before = await tree.look(signal);
  await expect(tree.look(AbortSignal.abort())).rejects.toThrow("aborted");
  rmSync(join(root, ".git"), { recursive: true });
  await expect(tree.look(signal)).rejects.toThrow("git cannot read");
  expect(before).toBeDefined();
});

test("a damaged repository falls back to listing", async () => {
  write(".git/HEAD", "nonsense");
  write("a", "1");
  expect(await changesOf(() => appendFileSync(join(root, "a"), "2"))).toEqual(["modified a"]);
});

test.each(KINDS)("in %s, the diff stat names what changed", async (_, prepare) => {
  write("a", "1\n");
  prepare();
  const tree = await openTree(root, PATH, signal);
  const before = await tree.look(signal);
  write("a", "2\n");
  write("b", "new\n");
  const stat = await tree.diffStat(before, await tree.look(signal), signal);
  expect(stat).toMatch(/^ a \| /m);
  expect(stat).toMatch(/^ b \| .*new|^ b \| added/m);
});

test.each([
  ['"a\\tb"', "a\tb"],
  ['"\\346\\227\\245"', "日"],
  ['"say \\"hi\\""', 'say "hi"'],
  ["plain name", "plain name"],
])("%s is the path %j", (quoted, path) => {
  expect(unquote(quoted)).toBe(path);
});

test("deleted and emptied test files and executable configuration are named", () => {
  const changes: Change[] = [
    { path: "src/a.test.ts", kind: "deleted" },
    { path: "tests/b.py", kind: "emptied" },
    { path: "pkg/c_test.go", kind: "deleted" },
    { path: "src/a.ts", kind: "deleted" },
    { path: "src/d.test.ts", kind: "modified" },
    { path: ".claude/settings.json", kind: "added" },
    { path: ".github/workflows/ci.yml", kind: "modified" },
    { path: "docs/latest.md", kind: "deleted" },
  ];
  expect(treeWarnings(changes)).toEqual([
    'test file deleted: "src/a.test.ts"',
    'test file emptied: "tests/b.py"',
    'test file deleted: "pkg/c_test.go"',
    expect.stringContaining(".claude/settings.json"),
    expect.stringContaining(".github/workflows/ci.yml"),
  ]);
});
