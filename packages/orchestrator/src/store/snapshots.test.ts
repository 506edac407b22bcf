import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nodeAndTask } from "./simulation/random-facts.ts";
import { migrateState } from "./schema.ts";
import { chat } from "./testing/test-ports.ts";
import {
  allFiles,
  kinds,
  tempWorkspace,
  textOf,
  type TempWorkspace,
} from "./testing/temp-workspace.ts";

let temp: TempWorkspace;
beforeEach(async () => {
  temp = await tempWorkspace();
});
afterEach(() => temp.remove());

const snapshotPath = (id: string): string => join(temp.dir, "snapshots", `${id}.json`);

const running = [
  ...nodeAndTask("a", "node-root", 0),
  { kind: "task.started", payload: { taskId: "a", attemptId: "att-1" } },
] as const;

it("restoring is a fact of its own, after a safety snapshot; history is not cut", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => nodeAndTask("a", "node-root", 0));
  const { id } = await workspace.createSnapshot();
  await workspace.commit(() => [
    { kind: "node.deleted", payload: { nodeId: "a", cascade: true } },
    chat("m"),
  ]);
  const before = await readFile(await temp.historyFile(), "utf8");
  await workspace.restoreSnapshot(id, { by: "user" });
  expect(workspace.state.nodes.has("a")).toBe(true);
  expect(workspace.state.epoch).toBe(1);
  expect(workspace.state.sessions.get("chat-1")?.messageCount).toBe(1);
  expect((await readFile(await temp.historyFile(), "utf8")).startsWith(before)).toBe(true);
  const facts = await workspace.readFacts({ after: 5, limit: 10 });
  expect(kinds(facts)).toEqual(["chat.message", "snapshot.created", "snapshot.restored"]);
  expect((await workspace.listSnapshots()).map((snapshot) => snapshot.reason)).toEqual([
    "safety",
    "requested",
  ]);
  await workspace.close();
  const again = await temp.open();
  expect(textOf(again)).toBe(textOf(workspace));
  await again.close();
});

it("restoring is refused while tasks run, unless forced; then they are stopped first", async () => {
  const workspace = await temp.open();
  const { id } = await workspace.createSnapshot();
  await workspace.commit(() => running);
  const before = await allFiles(join(temp.dir, "history"));
  await expect(workspace.restoreSnapshot(id)).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await allFiles(join(temp.dir, "history"))).toEqual(before);
  const stop = async (): Promise<void> => {
    await workspace.commit(() => [
      { kind: "task.canceled", payload: { taskId: "a", attemptId: null, stopped: true } },
    ]);
  };
  await workspace.restoreSnapshot(id, { force: true, stop });
  expect(workspace.state.tasks.size).toBe(0);
  await workspace.close();
});

it("a damaged snapshot is refused before anything changes, and another one is named", async () => {
  const workspace = await temp.open();
  const good = await workspace.createSnapshot();
  await workspace.commit(() => [chat("m")]);
  const bad = await workspace.createSnapshot();
  const text = await readFile(snapshotPath(bad.id), "utf8");
  await writeFile(snapshotPath(bad.id), text.replace('"chat-1"', '"chat-2"'));
  await workspace.flush();
  const before = await allFiles(temp.dir);
  await expect(workspace.restoreSnapshot(bad.id)).rejects.toMatchObject({
    code: "SNAPSHOT_DAMAGED",
    hint: `Restore ${good.id} instead.`,
  });
  await expect(workspace.restoreSnapshot("../../etc/passwd")).rejects.toMatchObject({
    code: "INVALID_ID",
  });
  await expect(workspace.restoreSnapshot("snapshot-unknown")).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  expect(await allFiles(temp.dir)).toEqual(before);
  await workspace.close();
});

it("a symbolic link among the snapshots is not followed", async () => {
  const workspace = await temp.open();
  const { id } = await workspace.createSnapshot();
  const outside = join(temp.home, "outside.json");
  await writeFile(outside, await readFile(snapshotPath(id)));
  await rm(snapshotPath(id));
  await symlink(outside, snapshotPath(id));
  await expect(workspace.restoreSnapshot(id)).rejects.toMatchObject({ code: "SNAPSHOT_DAMAGED" });
  await workspace.close();
});

it("a damaged newest snapshot does not hinder opening: the one before it, or history alone, will do", async () => {
  const first = await temp.open();
  await first.commit(() => [chat("m")]);
  await first.createSnapshot();
  await first.commit(() => [chat("n")]);
  await first.close();
  const wanted = textOf(first);
  const problems: string[] = [];
  for (const name of await readdir(join(temp.dir, "snapshots"))) {
    await writeFile(join(temp.dir, "snapshots", name), "{half");
    const workspace = await temp.open({ onProblem: (message) => problems.push(message) });
    expect(textOf(workspace)).toBe(wanted);
    await workspace.close();
  }
  expect(problems.length).toBeGreaterThan(0);
});

it("a snapshot is taken by itself after a thousand facts, once history has outgrown the last one", async () => {
  const workspace = await temp.open();
  const commit = (from: number, count: number) =>
    workspace.commit(() => Array.from({ length: count }, (_, i) => chat(`m-${from + i}`)));
  await commit(0, 900);
  expect(await workspace.listSnapshots()).toEqual([]);
  await commit(900, 200);
  await expect
    .poll(async () => (await workspace.listSnapshots()).map((s) => s.reason))
    .toEqual(["automatic"]);
  await workspace.close();
});

it("only the newest few of each sort are kept", async () => {
  const workspace = await temp.open();
  for (let i = 0; i < 23; i += 1) await workspace.createSnapshot();
  expect(await workspace.listSnapshots()).toHaveLength(20);
  await workspace.close();
});

it("closing twice over without a change takes no snapshot and writes no fact", async () => {
  const first = await temp.open();
  await first.close();
  const { seq } = first.state;
  const second = await temp.open();
  await second.close();
  expect(second.state.seq).toBe(seq);
  expect(await second.listSnapshots()).toHaveLength(1);
});

it("a snapshot of a newer version refuses the whole workspace, untouched", async () => {
  const workspace = await temp.open();
  const { id } = await workspace.createSnapshot();
  await workspace.close();
  const text = await readFile(snapshotPath(id), "utf8");
  await writeFile(snapshotPath(id), text.replace('"version":1', '"version":2'));
  const before = await allFiles(temp.dir);
  await expect(temp.open()).rejects.toMatchObject({ code: "WORKSPACE_TOO_NEW" });
  expect(await allFiles(temp.dir)).toEqual(before);
});

it("an older state is brought up to date one version at a time", () => {
  const steps = {
    0: (saved: Record<string, unknown>) => ({ ...saved, a: 1 }),
    1: (saved: Record<string, unknown>) => ({ ...saved, b: Number(saved["a"]) + 1 }),
  };
  expect(migrateState({ seq: 1 }, 0, steps, 2)).toEqual({ seq: 1, a: 1, b: 2 });
  expect(migrateState({ seq: 1, a: 5 }, 1, steps, 2)).toEqual({ seq: 1, a: 5, b: 6 });
});
