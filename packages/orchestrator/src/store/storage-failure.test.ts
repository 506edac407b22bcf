import { expect, it } from "vitest";
import { message, nodeAndTask } from "./simulation/random-facts.ts";
import { counter, start, untilEnd } from "./simulation/run.ts";
import { SimulatedDisk, type Fate, type Operation } from "./simulation/simulated-disk.ts";
import { kinds } from "./testing/temp-workspace.ts";
import type { Workspace } from "./workspace.ts";

/** A workspace on a simulated disk, and a switch that makes some operations fail. */
async function onDisk(): Promise<{
  workspace: Workspace;
  disk: SimulatedDisk;
  fail: (fits: (operation: Operation, path: string) => boolean, fate: Fate) => void;
  heal: () => void;
  fatal: () => boolean;
}> {
  const disk = new SimulatedDisk();
  const process = await start(disk, counter());
  await process.workspace.checked();
  await process.workspace.flush();
  return {
    workspace: process.workspace,
    disk,
    fail: (fits, fate) =>
      (disk.fate = (operation, path) => (fits(operation, path) ? fate : "fine")),
    heal: () => (disk.fate = () => "fine"),
    fatal: () => process.fatal,
  };
}

const historyWrite = (operation: Operation, path: string): boolean =>
  operation === "write" && path.includes("/history/");
const say = (id: string) => () => [message(id, "chat-0", "hello")];

it.each<[string, Fate]>([
  ["is full", { error: "ENOSPC" }],
  ["takes half of a write", "short"],
])(
  "while the disk %s changes are refused, and once there is room everything works again",
  async (_, fate) => {
    const { workspace, disk, fail, heal } = await onDisk();
    await workspace.commit(say("a"));
    fail(historyWrite, fate);
    const sizes = () =>
      [...disk.contents()]
        .filter(([path]) => path.includes("/history/"))
        .map(([, bytes]) => bytes.length);
    const before = sizes();
    await expect(workspace.commit(say("b"))).rejects.toMatchObject({
      code: "STORAGE_FULL",
      retryable: true,
    });
    await expect(workspace.commit(say("c"))).rejects.toMatchObject({ code: "STORAGE_FULL" });
    expect(workspace.storage).toBe("full");
    expect(sizes()).toEqual(before);
    heal();
    await workspace.commit(say("d"));
    expect(workspace.storage).toBe("ok");
    const messages = workspace.state.sessions.get("chat-0")?.messages.map((m) => m.id);
    expect(messages).toEqual(["a", "d"]);
    const facts = await workspace.readFacts({ after: 2, limit: 10 });
    expect(kinds(facts)).toEqual(["history_failed", "history_failed", "chat.message"]);
    expect(workspace.state.incidents.map((incident) => incident.kind)).toEqual([
      "history_failed",
      "history_failed",
    ]);
    await workspace.close();
  },
);

it("what built on a change that could not be written fails with it", async () => {
  const { workspace, fail, heal } = await onDisk();
  fail(historyWrite, { error: "ENOSPC" });
  const results = await Promise.allSettled([
    workspace.commit(() => nodeAndTask("a", "node-root", 0)),
    workspace.commit((state) => nodeAndTask("b", state.nodes.has("a") ? "a" : "node-root", 0)),
    workspace.commit((state) => (state.nodes.has("b") ? [] : nodeAndTask("b", "node-root", 0))),
  ]);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(workspace.state.nodes.size).toBe(1);
  heal();
  await workspace.commit(() => nodeAndTask("c", "node-root", 0));
  expect([...workspace.state.nodes.keys()].sort()).toEqual(["c", "node-root"]);
  await workspace.close();
});

it("without a commit in the meantime, a probe finds out that there is room again and records what was lost", async () => {
  const { workspace, fail, heal } = await onDisk();
  fail(historyWrite, { error: "ENOSPC" });
  await expect(workspace.commit(say("b"))).rejects.toMatchObject({ code: "STORAGE_FULL" });
  heal();
  await expect
    .poll(() => workspace.state.incidents.map((incident) => incident.kind))
    .toEqual(["history_failed"]);
  expect(workspace.storage).toBe("ok");
  await workspace.close();
});

it.each<[string, (operation: Operation, path: string) => boolean]>([
  ["of history", (operation, path) => operation === "sync" && path.includes("/history/")],
  ["of a snapshot", (operation, path) => operation === "sync" && path.includes("/snapshots/")],
  ["of a folder", (operation) => operation === "syncFolder"],
])(
  "after a failed fsync %s nothing is acknowledged any more, even if the disk recovers",
  async (_, fits) => {
    const { workspace, fail, heal, fatal, disk } = await onDisk();
    fail(fits, { error: "EIO" });
    const work = Promise.allSettled([workspace.commit(say("a")), workspace.createSnapshot()]);
    await untilEnd(disk, work);
    expect(fatal()).toBe(true);
    expect(workspace.storage).toBe("failed");
    heal();
    await expect(workspace.commit(say("b"))).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  },
);

it("a view that cannot be written is recorded once, tried again, and does not hinder anything", async () => {
  const { workspace, disk, fail, heal } = await onDisk();
  fail((operation, path) => operation === "rename" && path.endsWith("state/tasks.json"), {
    error: "EIO",
  });
  await workspace.commit(() => nodeAndTask("a", "node-root", 0));
  await workspace.flush();
  await expect
    .poll(() => workspace.state.incidents.map((incident) => incident.message))
    .toEqual([expect.stringContaining("state/tasks.json could not be written: EIO")]);
  await workspace.commit(() => nodeAndTask("b", "node-root", 0));
  await workspace.flush();
  expect(workspace.state.incidents).toHaveLength(1);
  heal();
  const tasks = () =>
    [...disk.contents()].find(([path]) => path.endsWith("state/tasks.json"))?.[1].toString() ?? "";
  await expect.poll(tasks).toContain('"task_id":"b"');
  await workspace.close();
});

it("an opening that fails for want of room writes nothing later, when someone else may hold the lock", async () => {
  const disk = new SimulatedDisk();
  disk.fate = (operation, path) => (historyWrite(operation, path) ? { error: "ENOSPC" } : "fine");
  await expect(start(disk, counter())).rejects.toMatchObject({ code: "STORAGE_FULL" });
  disk.fate = () => "fine";
  const before = disk.operations;
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(disk.operations).toBe(before);
  const { workspace } = await start(disk, counter());
  expect(workspace.damage).toBeNull();
  await workspace.close();
});
