import { execFileSync } from "node:child_process";
import { link, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import { afterEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/test-server.ts";

let server: TestServer;
afterEach(() => server.stop());

/** A finished task that says it changed these files and wrote this note. */
async function finished(files: readonly string[], note: string | null): Promise<string> {
  server = await startTestServer({
    script: ({ taskId }) => ({
      result: runResult(taskId, { artifacts: { files: [...files], note } }),
    }),
  });
  const created = await server.post(`${server.ws}/tasks`, { title: "x" });
  const { id } = (await created.json()) as { id: string };
  await server.post(`${server.ws}/tasks/${id}/run`);
  const { workspace } = server.open;
  await expect.poll(() => workspace.state.tasks.get(id)?.progress).toBe("succeeded");
  return `${server.ws}/tasks/${id}`;
}

test("what a worker can leave in a tree is shown for what it is, and nothing outside is read", async () => {
  const names = [
    "link",
    "dangling",
    "folder/secret",
    "hard",
    "fifo",
    "huge",
    "binary",
    "gone",
    "plain",
  ];
  const task = await finished([...names, "../secret", "/etc/passwd"], null);
  const { project } = server;
  const outside = dirname(project);
  await writeFile(join(outside, "secret"), "the secret");
  await symlink(join(outside, "secret"), join(project, "link"));
  await symlink(join(outside, "nowhere"), join(project, "dangling"));
  await symlink(outside, join(project, "folder"));
  await link(join(outside, "secret"), join(project, "hard"));
  execFileSync("mkfifo", [join(project, "fifo")]);
  await writeFile(join(project, "huge"), "");
  await truncate(join(project, "huge"), 10 * 1_073_741_824);
  await writeFile(join(project, "binary"), Buffer.from([1, 0, 2]));
  await writeFile(join(project, "plain"), "fine\n");
  const text = await (await server.api(`${task}/changes`)).text();
  expect(text).not.toContain("the secret");
  const { files } = JSON.parse(text) as { files: { path: string; status: string }[] };
  expect(Object.fromEntries(files.map(({ path, status }) => [path, status]))).toEqual({
    link: "link",
    dangling: "link",
    "folder/secret": "link",
    hard: "unreadable",
    fifo: "unreadable",
    huge: "too_large",
    binary: "binary",
    gone: "deleted",
    plain: "added",
    "../secret": "unreadable",
    "/etc/passwd": "unreadable",
  });
});

test.each(["../secret.md", "/etc/passwd", "notes/link.md", ".agent-runner/../../secret.md"])(
  "a note at %s is not read",
  async (note) => {
    const task = await finished([], note);
    await writeFile(join(dirname(server.project), "secret.md"), "the secret");
    await mkdir(join(server.project, "notes"));
    await symlink(
      join(dirname(server.project), "secret.md"),
      join(server.project, "notes/link.md"),
    );
    const answer = await server.api(`${task}/note`);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.not.stringContaining("secret"),
    ]);
  },
);
