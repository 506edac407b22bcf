import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTaskFile } from "./read-task-file.ts";
import { resolveTask } from "./resolve-task.ts";

let root = "";
let repo = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "resolve-"));
  repo = join(root, "repo");
  mkdirSync(join(repo, "docs"), { recursive: true });
  writeFileSync(join(repo, "docs/prd.md"), "\uFEFFBuild it.");
  writeFileSync(join(root, "secret.txt"), "top secret");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function resolve(yaml: string, env: Record<string, string> = {}, checkEnv = true) {
  const { task } = readTaskFile(Buffer.from(yaml));
  if (!task) throw new Error("the YAML of this test is wrong");
  return resolveTask(task, {
    cwd: root,
    env,
    newTaskId: () => Promise.resolve("new-id"),
    checkEnv,
  });
}

const withPrd = (path: string): string =>
  `version: 1\ntask:\n  repo: repo\n  prd: { path: ${JSON.stringify(path)} }\n`;

test("the repo is made absolute, the PRD is read, a missing id is made", async () => {
  expect(await resolve(withPrd("docs/prd.md"))).toMatchObject({
    id: "new-id",
    repoPath: repo,
    prdText: "Build it.",
  });
});

test.each([
  ["../secret.txt", /leaves the repo/],
  ["docs/../../secret.txt", /leaves the repo/],
  ["/etc/passwd", /leaves the repo/],
  ["link-to-file", /leaves the repo/],
  ["link-to-folder/secret.txt", /leaves the repo/],
  ["dangling", /cannot be read \(ENOENT\)/],
  ["missing.md", /cannot be read \(ENOENT\)/],
  ["docs", /is not a regular file/],
  ["pipe", /is not a regular file/],
])("a PRD at %s is refused", async (path, message) => {
  symlinkSync(join(root, "secret.txt"), join(repo, "link-to-file"));
  symlinkSync(root, join(repo, "link-to-folder"));
  symlinkSync(join(root, "nothing"), join(repo, "dangling"));
  execFileSync("mkfifo", [join(repo, "pipe")]);
  const problems = await resolve(withPrd(path));
  expect(problems).toMatchObject([{ path: "task.prd.path", at: { line: 4, column: 16 } }]);
  expect(problems).toHaveProperty([0, "message"], expect.stringMatching(message));
});

test("a link inside the repo is followed", async () => {
  symlinkSync("docs/prd.md", join(repo, "inner"));
  expect(await resolve(withPrd("inner"))).toMatchObject({ prdText: "Build it." });
});

test.each([
  ["missing", /does not exist/],
  ["secret.txt", /is not a directory/],
  ["/proc", /cannot be written/],
])("the repo %s is refused", async (path, message) => {
  const problems = await resolve(`version: 1\ntask: { repo: ${path}, prd: { text: x } }`);
  expect(problems).toHaveProperty([0, "message"], expect.stringMatching(message));
  expect(problems).toHaveProperty([0, "path"], "task.repo");
});

test("checking leaves nothing behind in the repo", async () => {
  await resolve(withPrd("docs/prd.md"));
  expect(readdirSync(repo)).toEqual(["docs"]);
});

test("references to missing variables are all named; present ones are not resolved yet", async () => {
  const yaml = `version: 1
task: { repo: repo, prd: { text: x }, test: { command: t, cwd: ../out } }
runner: { worker: { env: { A: "env:NOT_THERE", B: "env:THERE", C: literal, D: "env:" } } }`;
  const problems = await resolve(yaml, { THERE: "the-value" });
  expect(problems).toMatchObject([
    { path: "task.test.cwd", at: { line: 2 } },
    {
      path: "runner.worker.env.A",
      message: expect.stringContaining("NOT_THERE") as string,
      at: { line: 3 },
    },
    { path: "runner.worker.env.D", at: { line: 3 } },
  ]);
  expect(JSON.stringify(problems)).not.toContain("the-value");
  const replayed = await resolve(
    yaml.replace(", test: { command: t, cwd: ../out }", ""),
    {},
    false,
  );
  expect(replayed).toMatchObject({ worker: { env: { B: "env:THERE" } } });
});

const tooling = (profile: string): string => `version: 1
task: { repo: repo, prd: { text: x } }
runner:
  tooling:
    active_profile: ${profile}
    profiles:
      - { id: a, categories: { meta: { candidates: [{ tool: mock }] } } }
      - id: b
        categories:
          worker:
            candidates:
              - { tool: mock, env: { HERE: "env:HERE" } }
              - tool: codex-cli
                env:
                  CODEX_API_KEY: env:NOT_SET
`;

test("a reference of a candidate to a variable that is not set is named where it is", async () => {
  expect(await resolve(tooling("b"), { HERE: "1" })).toEqual([
    {
      path: "runner.tooling.profiles.1.categories.worker.candidates.1.env.CODEX_API_KEY",
      message: "the environment variable NOT_SET is not set on this host",
      at: { line: 15, column: 34 },
    },
  ]);
});

test("profiles that are not in use may refer to what is not here", async () => {
  expect(await resolve(tooling("a"))).toMatchObject({ id: "new-id" });
  expect(await resolve(tooling("b"), {}, false)).toMatchObject({ id: "new-id" });
});
