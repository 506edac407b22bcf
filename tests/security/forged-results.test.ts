import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import type { RunResult } from "@multiverse/protocol/run-result";
import { afterEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/test-server.ts";

let server: TestServer;
afterEach(() => server.stop());

/** Two tasks, of which the first is run and ends with this result. */
async function runFirst(result: RunResult): Promise<void> {
  server = await startTestServer({
    script: ({ taskId }) => (taskId === "task-0001" ? { result } : "hang"),
  });
  const { ws, post } = server;
  for (const title of ["the runner's own", "somebody else's"]) await post(`${ws}/tasks`, { title });
  await post(`${ws}/tasks/task-0001/run`);
}
const attempts = (): unknown[] =>
  [...server.open.workspace.state.attempts.values()].map(({ taskId, status }) => [taskId, status]);

test("a result that names another task finishes neither, and is recorded as a failed attempt", async () => {
  await runFirst(runResult("task-0002", { summary: "forged" }));
  await expect.poll(attempts).toContainEqual(["task-0001", "FAILED"]);
  const { tasks } = server.open.workspace.state;
  expect(["task-0001", "task-0002"].map((id) => tasks.get(id)?.progress)).not.toContain(
    "succeeded",
  );
  expect(server.stateText()).not.toContain("forged");
});

test("result files that nobody asked for are read by nobody: forged, huge, linked or broken", async () => {
  await runFirst(runResult("task-0001"));
  const { workspace } = server.open;
  await expect.poll(() => workspace.state.tasks.get("task-0001")?.progress).toBe("succeeded");
  await workspace.flush();
  const forged = JSON.stringify({ task_id: "task-0002", status: "succeeded", epoch: 0 });
  for (const folder of ["ipc/results", "runs/att-forged"]) {
    const at = join(workspace.dir, folder);
    await mkdir(at, { recursive: true });
    await writeFile(join(at, "forged.json"), forged);
    await writeFile(join(at, "result.json"), forged);
    await writeFile(join(at, "events.jsonl"), `${forged}\n`);
    await writeFile(join(at, "huge.json"), "x".repeat(8 * 1_048_576));
    await writeFile(join(at, "broken.json"), "{");
    await symlink("/etc/passwd", join(at, "link.json"));
  }
  // A commit afterwards shows that the workspace has gone on, and over what.
  await server.post(`${server.ws}/execution`, { action: "pause" });
  await workspace.flush();
  expect(workspace.state.tasks.get("task-0002")?.progress).toBe("waiting");
  expect(attempts()).toEqual([["task-0001", "SUCCEEDED"]]);
  await server.stop({ keep: true });
  server = await startTestServer({ root: server.root });
  expect(server.open.workspace.state.tasks.get("task-0002")?.progress).toBe("waiting");
  expect(server.open.workspace.state.attempts.size).toBe(1);
});
