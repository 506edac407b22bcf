import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A repository in which every way that git has to run a program leaves a mark when it is taken. */
export interface Bait {
  readonly folder: string;
  /** Every sink that is armed. */
  readonly traps: readonly string[];
  /** The marks so far: which sinks were reached. */
  sprung(): string[];
}

const HOOKS =
  "pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-merge post-index-change reference-transaction pre-push pre-rebase post-rewrite".split(
    " ",
  );
/** Settings that name a program. */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "fsmonitor",
  "filter.bait.clean": "clean",
  "filter.bait.smudge": "smudge",
  "diff.bait.textconv": "textconv",
  "diff.external": "external-diff",
  "gpg.program": "gpg",
  "core.sshCommand": "ssh",
  "core.pager": "pager",
  "core.editor": "editor",
};

export function layBait(folder: string, marks: string): Bait {
  mkdirSync(join(folder, "inner"), { recursive: true });
  mkdirSync(marks, { recursive: true });
  const git = gitIn(folder, marks);
  git("init", "-q", "-b", "main");
  writeFileSync(join(folder, "file.txt"), "one\ntwo\n");
  writeFileSync(join(folder, "doc.bin"), "three\n");
  // A repository in the repository: git keeps it as a link to a commit and asks it for its own status.
  const inner = gitIn(join(folder, "inner"), marks);
  inner("init", "-q");
  inner("commit", "-q", "--allow-empty", "-m", "x");
  git("add", "-A");
  git("commit", "-qm", "start");
  const trap = trapsIn(marks);
  for (const [key, name] of Object.entries(SETTINGS)) git("config", key, trap(name));
  git("config", "commit.gpgsign", "true");
  inner("config", "core.fsmonitor", trap("submodule"));
  for (const hook of HOOKS)
    writeFileSync(join(folder, ".git/hooks", hook), `#!/bin/sh\nexec '${trap(`hook-${hook}`)}'\n`, {
      mode: 0o755,
    });
  writeFileSync(
    join(folder, ".gitattributes"),
    "*.txt filter=bait diff=bait\n*.bin filter=bait diff=bait\n",
  );
  writeFileSync(join(folder, "file.txt"), "one\nchanged\n");
  return {
    folder,
    traps: [...Object.values(SETTINGS), "submodule", ...HOOKS.map((hook) => `hook-${hook}`)],
    sprung: () => readdirSync(marks).flatMap((name) => /^sprung-(.*)/.exec(name)?.[1] ?? []),
  };
}

const gitIn =
  (cwd: string, home: string) =>
  (...args: string[]): void => {
    const who = ["-c", "user.email=bait@example.com", "-c", "user.name=bait"];
    const env = { PATH: process.env["PATH"], HOME: home };
    execFileSync("git", [...who, ...args], { cwd, env, stdio: "ignore" });
  };

/** Programs that leave their mark and pass their input on; the one that would wait for a server fails. */
const trapsIn =
  (marks: string) =>
  (name: string): string => {
    const path = join(marks, `trap-${name}`);
    const mark = join(marks, `sprung-${name}`);
    const rest = name === "ssh" ? "exit 1" : "cat 2>/dev/null || true";
    writeFileSync(path, `#!/bin/sh\ntouch '${mark}'\n${rest}\n`);
    chmodSync(path, 0o755);
    return path;
  };

/** As a worker might do it: the repository's place is taken by a pointer to one of its own. */
export function swapGitFolder({ folder }: Bait): void {
  renameSync(join(folder, ".git"), join(folder, "..", "swapped.git"));
  writeFileSync(join(folder, ".git"), `gitdir: ${join(folder, "..", "swapped.git")}\n`);
}
