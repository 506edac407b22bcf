import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A repository in which every way that git has to run a program leaves a mark when it is taken. */
export interface Bait {
  readonly folder: string;
  /** The marks so far: which sinks were reached. */
  sprung(): string[];
}

const HOOKS =
  "pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-merge post-index-change reference-transaction pre-push pre-auto-gc fsmonitor-watchman".split(
    " ",
  );

export function layBait(folder: string, marks: string): Bait {
  mkdirSync(folder, { recursive: true });
  mkdirSync(marks, { recursive: true });
  const git = (...args: string[]): void => {
    execFileSync("git", args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: marks },
      stdio: "ignore",
    });
  };
  git("init", "-q");
  git("config", "user.email", "bait@example.com");
  git("config", "user.name", "bait");
  writeFileSync(join(folder, "file.txt"), "one\ntwo\n");
  writeFileSync(join(folder, "doc.bin"), "three\n");
  git("add", "-A");
  git("commit", "-qm", "start");
  arm(folder, marks, git);
  return { folder, sprung: () => readdirSync(marks).filter((name) => name.startsWith("sprung-")) };
}

function arm(folder: string, marks: string, git: (...args: string[]) => void): void {
  /** A program that leaves its mark and passes its input on. */
  const trap = (name: string): string => {
    const path = join(marks, `trap-${name}`);
    writeFileSync(
      path,
      `#!/bin/sh\ntouch '${join(marks, `sprung-${name}`)}'\ncat 2>/dev/null || true\n`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  const set = (key: string, name: string): void => git("config", key, trap(name));
  set("core.fsmonitor", "fsmonitor");
  set("filter.bait.clean", "clean");
  set("filter.bait.smudge", "smudge");
  set("diff.bait.textconv", "textconv");
  set("diff.external", "external-diff");
  set("gpg.program", "gpg");
  git("config", "commit.gpgsign", "true");
  set("core.sshCommand", "ssh");
  set("core.pager", "pager");
  set("core.editor", "editor");
  git("config", "alias.status", `!${trap("alias")}`);
  mkdirSync(join(folder, ".git/hooks"), { recursive: true });
  for (const hook of HOOKS) {
    const path = join(folder, ".git/hooks", hook);
    writeFileSync(path, `#!/bin/sh\ntouch '${join(marks, `sprung-hook-${hook}`)}'\n`);
    chmodSync(path, 0o755);
  }
  writeFileSync(
    join(folder, ".gitattributes"),
    "*.txt filter=bait diff=bait\n*.bin filter=bait diff=bait\n",
  );
  mkdirSync(join(folder, "inner"));
  execFileSync("git", ["init", "-q"], { cwd: join(folder, "inner"), stdio: "ignore" });
  execFileSync(
    "git",
    [
      "-c",
      "user.email=b@example.com",
      "-c",
      "user.name=b",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "x",
    ],
    { cwd: join(folder, "inner"), stdio: "ignore" },
  );
  execFileSync("git", ["config", "core.fsmonitor", trap("submodule")], {
    cwd: join(folder, "inner"),
  });
  writeFileSync(join(folder, "file.txt"), "one\nchanged\n");
}

/** As a worker might do it: the repository's place is taken by a pointer to one of its own. */
export function swapGitFolder({ folder }: Bait): void {
  renameSync(join(folder, ".git"), join(folder, "..", "swapped.git"));
  writeFileSync(join(folder, ".git"), `gitdir: ${join(folder, "..", "swapped.git")}\n`);
}
