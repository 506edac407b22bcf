import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { connectEngine, type Engine } from "@multiverse/agents/docker/engine";
import { guardGit } from "@multiverse/agents/sandbox/docker-git-guard";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { openTestSandbox, tempRepo, type TestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();
const CANARY = "canary-4f0d9a7be1c24655";

describe.skipIf(skipWithout(docker, "the isolation of containers"))(
  "from inside the container",
  () => {
    let box: TestSandbox;
    let engine: Engine;
    let login: string;
    beforeAll(async () => {
      engine = connectEngine(present(docker).socket);
      const repoPath = tempRepo();
      execFileSync("git", ["init", "-q", repoPath]);
      login = tempRepo();
      writeFileSync(join(login, "auth.json"), JSON.stringify({ key: CANARY }));
      mkdirSync(join(login, "projects/a"), { recursive: true });
      writeFileSync(join(login, "projects/a/big.jsonl"), "history");
      box = await openTestSandbox({
        repoPath,
        env: { TASK_SECRET: CANARY },
        logins: [{ source: login, target: ".codex" }],
        homeFiles: { ".config/x/settings.json": '{"a":1}' },
        memory: "256m",
        cpus: 0.5,
      });
    }, 60_000);
    afterAll(async () => {
      await box.remove();
      engine.close();
    });

    test("there is no Docker socket and nothing of the host but the mounts", async () => {
      const sockets = await box.run(
        "ls /var/run/docker.sock /run/docker.sock 2>&1; find / -xdev -type s 2>/dev/null | head",
      );
      expect(sockets.stdout).not.toMatch(/^\//m);
      const mounts = (await box.run("cut -d' ' -f2 /proc/mounts")).stdout.split("\n");
      const own = mounts.filter((path) => !/^\/(?:proc|sys|dev)(?:\/|$)|docker-init$/.test(path));
      expect(own.sort()).toEqual([
        "/",
        "/etc/hostname",
        "/etc/hosts",
        "/etc/resolv.conf",
        "/home/agent",
        "/run/multiverse",
        "/run/multiverse-logins/0",
        "/run/multiverse-pipes",
        "/tmp",
        "/workspace/project",
        "/workspace/project/.git",
        "/workspace/project/.git/branches",
        "/workspace/project/.git/commondir",
        "/workspace/project/.git/config",
        "/workspace/project/.git/config.worktree",
        "/workspace/project/.git/hooks",
        "/workspace/project/.git/info",
        "/workspace/project/.git/modules",
        "/workspace/project/.git/remotes",
        "/workspace/project/.git/worktrees",
      ]);
    });

    test("no capability, no new privileges, a read-only root, limits in force", async () => {
      const status = (await box.run("cat /proc/self/status")).stdout;
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^CapBnd:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
      expect((await box.run("touch /x /etc/x /usr/x 2>&1; echo $?")).stdout).toMatch(
        /Read-only[\s\S]*1$/,
      );
      expect((await box.run("touch /tmp/x ~/x && echo fine")).stdout).toBe("fine");
      const forks = await box.run(
        "i=0; while [ $i -lt 600 ]; do sleep 5 & i=$((i+1)); done 2>&1 | head -1; kill $(jobs -p) 2>/dev/null",
      );
      expect(forks.stdout + forks.stderr).toMatch(/fork|resource/i);
      await expect.poll(async () => (await box.run("true")).exitCode).toBe(0);
    }, 60_000);

    test("what can be seen from outside is as hardened as promised, and holds no secret", async () => {
      const inspected = await engine.call("GET", `/containers/${box.handle.id}/json`);
      const text = JSON.stringify(inspected);
      expect(text).not.toContain(CANARY);
      expect(inspected).toMatchObject({
        HostConfig: {
          CapDrop: ["ALL"],
          SecurityOpt: ["no-new-privileges"],
          ReadonlyRootfs: true,
          Privileged: false,
          PidsLimit: 512,
          Memory: 256 * 1_048_576,
          MemorySwap: 256 * 1_048_576,
          NanoCpus: 500_000_000,
          Init: true,
          PidMode: "",
          UTSMode: "",
          UsernsMode: "",
        },
      });
      const { Config } = inspected as { Config: { Labels: Record<string, string>; User: string } };
      expect(
        Object.keys(Config.Labels)
          .filter((name) => name.startsWith("io.multiverse"))
          .sort(),
      ).toEqual(
        ["attempt", "epoch", "owner", "role", "task", "workspace"].map(
          (name) => `io.multiverse.${name}`,
        ),
      );
    });

    test("variables, logins and settings arrive, and the login on the host stays as it was", async () => {
      const run = await box.run(
        "printenv TASK_SECRET; cat ~/.codex/auth.json ~/.config/x/settings.json; ls ~/.codex; echo x > ~/.codex/auth.json; echo x > /run/multiverse-logins/0/auth.json",
      );
      expect(run.stdout).toContain(CANARY);
      expect(run.stdout).toContain('{"a":1}');
      expect(run.stdout).not.toContain("projects");
      expect(run.stderr).toMatch(/Read-only file system/);
      expect(readFileSync(join(login, "auth.json"), "utf8")).toBe(JSON.stringify({ key: CANARY }));
    });

    test("what git would execute on the host cannot be written, made or replaced", async () => {
      const commit = await box.run(
        "echo a > a.txt && git add a.txt && git -c user.name=a -c user.email=a@b commit -qm a && git log --oneline | wc -l",
      );
      expect(commit.stdout.trim()).toBe("1");
      const tries = [
        "echo '[core] fsmonitor=evil' >> .git/config",
        "git config core.hooksPath /tmp",
        "echo evil > .git/hooks/pre-commit",
        "echo evil > .git/info/attributes",
        "mkdir -p .git/modules/x && echo evil > .git/modules/x/config",
        "mkdir -p .git/worktrees/x && echo ../../../evil > .git/worktrees/x/commondir",
        "echo '[core] fsmonitor=evil' >> .git/config.worktree",
        "echo 'URL: ../evil' > .git/remotes/origin",
        "echo ../evil > .git/branches/main",
        "echo ../evil > .git/commondir",
        "echo ../evil > evil && mv evil .git/commondir",
        "rm .git/commondir",
        "mv .git .git2",
        "mv .git/hooks .git/hooks2",
        "rm .git/config && echo evil > .git/config",
        "rm -rf .git",
      ];
      for (const script of tries) {
        const run = await box.run(script);
        expect([script, run.exitCode === 0]).toEqual([script, false]);
      }
      expect(
        readdirSync(join(box.repo, ".git/hooks")).filter((name) => !name.endsWith(".sample")),
      ).toEqual([]);
    });

    test("the pipes that output comes through can be written into, and nothing else can be done there", async () => {
      const run = await box.run(
        "cd /run/multiverse-pipes && ls -A; touch x; rm *.out; mkdir y; mv *.end z; ln -s /etc/passwd l; true",
      );
      expect(run.stdout.split("\n").sort()).toEqual(
        [...new Set(run.stdout.match(/run-\d+/g))].flatMap((id) => [
          `${id}.end`,
          `${id}.err`,
          `${id}.out`,
        ]),
      );
      expect(run.stderr.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(5);
    });
  },
);

describe.skipIf(skipWithout(docker, "git's files in containers"))("a folder and its .git", () => {
  test("without a repo the worker cannot make one that the host would believe, and nothing is left behind", async () => {
    const box = await openTestSandbox();
    const run = await box.run(
      "git init . ; mkdir -p .git/hooks; echo evil > .git/config; ls -A .git; echo fine > file.txt",
    );
    expect(run.stdout.trim()).toBe("");
    await box.handle.stop();
    expect(readdirSync(box.repo)).toEqual(["file.txt"]);
    await box.remove();
  });

  test("parts that were missing are as missing afterwards", async () => {
    const repoPath = tempRepo();
    execFileSync("git", ["init", "-q", "--template=", repoPath]);
    const before = readdirSync(join(repoPath, ".git")).sort();
    const box = await openTestSandbox({ repoPath });
    expect(
      (await box.run("echo evil > .git/hooks/x; echo evil > .git/info/attributes")).exitCode,
    ).not.toBe(0);
    await box.handle.stop();
    expect(readdirSync(join(repoPath, ".git")).sort()).toEqual(before);
    await box.remove();
  });

  test("git on the host works on meanwhile, and obeys nobody else", async () => {
    const obeyed = join(tempRepo(), "obeyed");
    const bait = [
      "mkdir -p evil/objects evil/refs; cp .git/HEAD evil",
      `printf '[core]\\nrepositoryformatversion = 0\\nfsmonitor = touch ${obeyed};#\\n' > evil/config`,
      "echo ../evil > .git/commondir",
    ].join("; ");
    const repoPath = tempRepo();
    const git = (...args: string[]): string =>
      execFileSync("git", ["-C", repoPath, "-c", "user.name=h", "-c", "user.email=h@i", ...args], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    git("init", "-q");
    const box = await openTestSandbox({ repoPath });
    expect((await box.run(bait)).exitCode).not.toBe(0);
    writeFileSync(join(repoPath, "host.txt"), "host");
    git("add", "host.txt");
    git("commit", "-qm", "from the host");
    expect(git("log", "--format=%s").trim()).toBe("from the host");
    expect(git("status", "--porcelain", "host.txt")).toBe("");
    expect(existsSync(obeyed)).toBe(false);
    await box.handle.stop();
    execFileSync("sh", ["-c", bait], { cwd: repoPath });
    git("status");
    expect(existsSync(obeyed), "where nothing is guarded the bait works").toBe(true);
    await box.remove();
  });

  test("a rebase that a person has left half-done is not added to", async () => {
    const repoPath = tempRepo();
    execFileSync("git", ["init", "-q", repoPath]);
    const todo = join(repoPath, ".git/rebase-merge/git-rebase-todo");
    mkdirSync(dirname(todo));
    writeFileSync(todo, "pick 1\n");
    const box = await openTestSandbox({ repoPath });
    const run = await box.run(
      "echo exec evil >> .git/rebase-merge/git-rebase-todo || mv .git/rebase-merge .git/x",
    );
    expect(run.exitCode).not.toBe(0);
    expect(readFileSync(todo, "utf8")).toBe("pick 1\n");
    await box.handle.stop();
    expect(existsSync(todo)).toBe(true);
    await box.remove();
  });

  test("two that work on one repo keep it guarded until the last has gone", async () => {
    const repoPath = tempRepo();
    execFileSync("git", ["init", "-q", "--template=", repoPath]);
    const before = readdirSync(join(repoPath, ".git")).sort();
    const first = await openTestSandbox({ repoPath });
    const second = await openTestSandbox({ repoPath });
    await first.handle.stop();
    for (const part of ["commondir", "modules/x", "hooks/x", "config.worktree"])
      expect([part, (await second.run(`echo evil > .git/${part}`)).exitCode]).not.toEqual([
        part,
        0,
      ]);
    await second.handle.stop();
    expect(readdirSync(join(repoPath, ".git")).sort()).toEqual(before);
    await second.remove();
  });

  test("what a killed run left is taken away by the next", async () => {
    const repoPath = tempRepo();
    execFileSync("git", ["init", "-q", "--template=", repoPath]);
    const before = readdirSync(join(repoPath, ".git")).sort();
    guardGit(repoPath, "/workspace/project");
    expect(readFileSync(join(repoPath, ".git/commondir"), "utf8")).toBe(".\n");
    const box = await openTestSandbox({ repoPath });
    await box.handle.stop();
    expect(readdirSync(join(repoPath, ".git")).sort()).toEqual(before);
    await box.remove();
  });

  test("a linked hooks folder is refused with what to do", async () => {
    const repoPath = tempRepo();
    execFileSync("git", ["init", "-q", "--template=", repoPath]);
    symlinkSync("/etc", join(repoPath, ".git/hooks"));
    await expect(openTestSandbox({ repoPath })).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
    expect(existsSync(join(repoPath, ".git/info"))).toBe(false);
  });

  test.each(["/", "/etc", "/home"])("%s is not given to a worker", async (repoPath) => {
    await expect(openTestSandbox({ repoPath })).rejects.toMatchObject({ code: "SANDBOX_REFUSED" });
  });
});
