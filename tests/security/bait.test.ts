import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  clientOf,
  finish,
  makePlace,
  serveDemo,
  workspaceOf,
  type Place,
} from "../server/program.ts";
import { startTestServer } from "../server/test-server.ts";
import { layBait, swapGitFolder, type Bait } from "./bait-repository.ts";

let place: Place;
let bait: Bait;
beforeEach(async () => {
  place = await makePlace();
  bait = layBait(place.project, join(place.root, "marks"));
});
afterEach(() => place.remove());

/** Git as a person would use it who trusts the repository. */
function trustingly(...args: string[]): void {
  const who = ["-c", "user.email=p@example.com", "-c", "user.name=p"];
  try {
    execFileSync("git", [...who, ...args], { cwd: bait.folder, stdio: "ignore", timeout: 10_000 });
  } catch {
    // the traps make some commands fail; that they ran is what counts
  }
}

test("the bait works: git without our care springs every trap", () => {
  const unsigned = ["-c", "commit.gpgsign=false"];
  trustingly("status");
  trustingly("diff");
  trustingly("log", "-p", "--no-ext-diff");
  trustingly("commit", "-am", "signed");
  trustingly(...unsigned, "commit", "-a");
  trustingly(...unsigned, "commit", "-am", "changed");
  trustingly(...unsigned, "commit", "--amend", "-m", "changed again");
  trustingly("checkout", "-b", "side", "HEAD~1");
  trustingly(...unsigned, "commit", "--allow-empty", "-m", "side");
  trustingly(...unsigned, "merge", "--no-edit", "main");
  trustingly("rebase", "main");
  trustingly("fetch", "ssh://nowhere.invalid/x");
  const mirror = join(place.root, "mirror.git");
  execFileSync("git", ["init", "-q", "--bare", mirror]);
  trustingly("push", mirror, "main");
  // A pager is only asked where someone looks: `script` lends git a terminal.
  execFileSync("script", ["-qec", "git log", "/dev/null"], { cwd: bait.folder, stdio: "ignore" });
  expect(bait.sprung().sort()).toEqual([...bait.traps].sort());
});

test("the pointer works: a .git that was swapped for one is believed by git", () => {
  swapGitFolder(bait);
  trustingly("status");
  expect(bait.sprung()).toContain("fsmonitor");
});

describe.each(["as it is", "with its .git swapped for a pointer"])(
  "the product on the bait, %s",
  (how) => {
    test("springs nothing in a whole run and every view of it", async () => {
      if (how !== "as it is") swapGitFolder(bait);
      const run = await finish(place, [
        "run",
        "Say hello",
        "--project",
        bait.folder,
        "--demo",
        "--until-idle",
        "--json",
      ]);
      expect([run.code, run.output]).toEqual([0, expect.any(String)]);
      const server = await serveDemo(place);
      try {
        const client = await clientOf(place);
        const workspace = client.api.inWorkspace(await workspaceOf(client));
        const { tasks } = await workspace.tasks();
        expect(tasks.length).toBeGreaterThan(0);
        for (const { id } of tasks) {
          await workspace.note(id);
          await workspace.changes(id);
        }
        await workspace.state();
        await workspace.createSnapshot();
      } finally {
        server.child.kill("SIGTERM");
        await server.exit;
      }
      expect(bait.sprung()).toEqual([]);
    }, 90_000);
  },
);

test("a diff against the last commit is shown all the same, and still nothing is sprung", async () => {
  const files = ["file.txt", "doc.bin", "inner", "../outside", ".gitattributes"];
  const server = await startTestServer({
    script: ({ taskId }) => ({ result: runResult(taskId, { artifacts: { files, note: null } }) }),
  });
  try {
    const path = { path: bait.folder };
    const { id } = (await (await server.post("/workspaces", path)).json()) as { id: string };
    const ws = `/workspaces/${id}`;
    const task = (await (await server.post(`${ws}/tasks`, { title: "x" })).json()) as {
      id: string;
    };
    await server.post(`${ws}/tasks/${task.id}/run`);
    const changes = async (): Promise<unknown> =>
      (await server.api(`${ws}/tasks/${task.id}/changes`)).json();
    await expect.poll(changes).toMatchObject({
      files: [
        {
          path: "file.txt",
          status: "modified",
          diff: expect.stringContaining("-two\n+changed\n"),
          needsReview: false,
        },
        { path: "doc.bin", status: "modified", diff: "" },
        { path: "inner", status: "unreadable" },
        { path: "../outside", status: "unreadable" },
        { path: ".gitattributes", status: "added", needsReview: true },
      ],
      truncated: false,
    });
    expect(bait.sprung()).toEqual([]);
  } finally {
    await server.stop();
  }
}, 60_000);
