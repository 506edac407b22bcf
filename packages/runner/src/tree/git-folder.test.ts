import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gitMarks } from "./git-folder.ts";
import { openTree } from "./open-tree.ts";
import { treeWarnings } from "./warnings.ts";

const signal = new AbortController().signal;
let root = "";
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "git-folder-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, GIT_EDITOR: "true" },
  });

/** The names of what is to be looked at after `work`. */
async function warnedOf(work: () => void): Promise<string[]> {
  const tree = await openTree(root, process.env.PATH ?? "", signal);
  const before = await tree.look(signal);
  work();
  const changes = await tree.changes(before, await tree.look(signal), signal);
  return treeWarnings(changes).map((warning) =>
    String(JSON.parse(/"[^"]*"/.exec(warning)?.[0] ?? "")),
  );
}

describe("in a repository", () => {
  beforeEach(() => {
    git("init", "-q", "-b", "main");
    write("a.txt", "1\n");
    git("add", "-A");
    git("commit", "-qm", "one");
  });

  test.each<[planted: string, named: string, text: string]>([
    ["config", ".git/config", "[core]\n\tfsmonitor = evil\n"],
    ["config.worktree", ".git/config.worktree", "[core]\n\tfsmonitor = evil\n"],
    ["hooks/post-checkout", ".git/hooks/post-checkout", "#!/bin/sh\nevil\n"],
    ["info/attributes", ".git/info/attributes", "* filter=evil\n"],
    ["remotes/origin", ".git/remotes/origin", "URL: ../evil\n"],
    ["branches/main", ".git/branches/main", "../evil\n"],
    ["rebase-merge/git-rebase-todo", ".git/rebase-merge", "exec evil\n"],
    ["rebase-apply/next", ".git/rebase-apply", "1\n"],
    ["sequencer/todo", ".git/sequencer", "pick 1\n"],
    ["BISECT_NAMES", ".git/BISECT_NAMES", "$(evil)\n"],
    ["modules/a/b/config", ".git/modules/a/b/config", "[core]\n\tfsmonitor = evil\n"],
    ["worktrees/x/commondir", ".git/worktrees/x/commondir", "../evil\n"],
    ["worktrees/x/config.worktree", ".git/worktrees/x/config.worktree", "[core]\n"],
    ["never-heard-of/file", ".git/never-heard-of", "evil\n"],
  ])("a planted .git/%s is named", async (planted, named, text) => {
    const head = `.git/${planted.replace(/[^/]+$/, "")}HEAD`;
    expect(
      await warnedOf(() => {
        if (/^(?:modules|worktrees)/.test(planted)) write(head, "ref: refs/heads/main\n");
        write(`.git/${planted}`, text);
      }),
    ).toEqual([named]);
  });

  test.each(["COMMIT_EDITMSG", "logs/HEAD", "refs/heads/x", "FETCH_HEAD", "objects/pack"])(
    "a .git/%s that leads elsewhere is named: git on the host would write there",
    async (name) => {
      const place = join(root, ".git", name);
      expect(
        await warnedOf(() => {
          rmSync(place, { recursive: true, force: true });
          symlinkSync(join(root, "elsewhere"), place);
        }),
      ).toEqual([`.git/${name}`]);
    },
  );

  test("what git does in a day's work names nothing", async () => {
    const named = await warnedOf(() => {
      write("b.txt", "2\n");
      git("add", "-A");
      git("commit", "-qm", "two");
      git("checkout", "-q", "-b", "side", "HEAD~1");
      write("c.txt", "3\n");
      git("add", "-A");
      git("commit", "-qm", "three");
      git("merge", "-q", "--no-edit", "main");
      git("tag", "-a", "t", "-m", "tagged");
      git("stash", "-q", "--include-untracked");
      git("gc", "-q");
      git("rebase", "-q", "main");
    });
    expect(named).toEqual([]);
  });

  test("a rebase that was begun and waits is named once, and again only when it changes", async () => {
    const begin = (): void => {
      write("a.txt", "2\n");
      git("commit", "-qam", "two");
      git("-c", "sequence.editor=echo break >>", "rebase", "-q", "-i", "HEAD~1");
    };
    expect(await warnedOf(begin)).toEqual([".git/rebase-merge"]);
    expect(await warnedOf(() => write("b.txt", "3\n"))).toEqual([]);
    expect(await warnedOf(() => write(".git/rebase-merge/git-rebase-todo", "exec evil\n"))).toEqual(
      [".git/rebase-merge"],
    );
  });

  test("what only keeps its place is not named", async () => {
    const named = await warnedOf(() => {
      write(".git/commondir", ".\n");
      write(".git/config.worktree", "");
      mkdirSync(join(root, ".git/worktrees"));
      mkdirSync(join(root, ".git/modules"));
    });
    expect(named).toEqual([]);
  });
});

test("a folder with more in it than is read is named itself", async () => {
  git("init", "-q", "--template=");
  for (let i = 0; i < 10; i += 1) write(`.git/refs/heads/b${i}`, "x");
  write(".git/worktrees/x/HEAD", "x");
  const named = async (most: number): Promise<string[]> =>
    (await gitMarks(join(root, ".git"), most)).map(({ path }) => path);
  expect(await named(100)).toEqual(["config"]);
  expect(await named(16)).toEqual(["config", "refs/heads", "worktrees"]);
});

test("hooks of a repository inside are named, also of one without a configuration", async () => {
  git("init", "-q", "-b", "main");
  git("init", "-q", "there");
  git("-C", "there", "commit", "-q", "--allow-empty", "-m", "x");
  const named = await warnedOf(() => {
    write("there/.git/hooks/post-checkout", "evil");
    write("made/.git/HEAD", "ref: refs/heads/main\n");
    write("made/.git/hooks/post-checkout", "evil");
    for (const folder of ["objects", "refs"]) mkdirSync(join(root, "made/.git", folder));
  });
  expect(named).toEqual(["made/.git/hooks/post-checkout", "there/.git/hooks/post-checkout"]);
});

test("a folder that git would take for a repository, whatever its name, is named", async () => {
  const obeyed = join(root, "obeyed");
  git("init", "-q", "-b", "main");
  const named = await warnedOf(() => {
    write("docs/HEAD", "ref: refs/heads/main\n");
    write(
      "docs/config",
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = touch ${obeyed};#\n`,
    );
    for (const folder of ["objects", "refs"]) mkdirSync(join(root, "docs", folder));
    write("plain/config", "x");
  });
  expect(named).toEqual(["docs/HEAD"]);
  git("-C", "docs", "status");
  expect(existsSync(obeyed), "git really obeys it").toBe(true);
});
