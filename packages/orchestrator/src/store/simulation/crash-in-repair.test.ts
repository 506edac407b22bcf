import { join } from "node:path";
import { expect, it } from "vitest";
import { offerRepair, repairWorkspace } from "../repair-workspace.ts";
import type { OpenOptions } from "../workspace.ts";
import { workspaceIdOf } from "../workspace-id.ts";
import { message } from "./random-facts.ts";
import { seeded } from "./random.ts";
import { counter, failAt, HOME, PROJECT, start, untilEnd } from "./run.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const dir = join(HOME, "workspaces", workspaceIdOf(PROJECT));
const MESSAGES = ["m-1", "m-2", "m-3", "m-4"];

const optionsOn = (disk: SimulatedDisk): OpenOptions => ({
  home: HOME,
  projectRoot: PROJECT,
  clock: new SimulatedClock(() => disk.ended),
  newId: counter(),
  fs: disk.fs,
  acquireLock: async () => ({ announce: async () => {}, release: async () => {} }),
});

/** A disk with the same files, all of them durable. */
function copy(of: ReadonlyMap<string, Buffer>): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const [path, content] of of) disk.place(path, content);
  return disk;
}

/** A workspace with a snapshot, whose history is damaged before it. */
async function damagedFiles(): Promise<Map<string, Buffer>> {
  const disk = new SimulatedDisk();
  const { workspace } = await start(disk, counter());
  for (const id of MESSAGES) await workspace.commit(() => [message(id, "chat-0", "x")]);
  await workspace.close();
  const files = disk.contents();
  for (const [path, content] of files) if (path.includes("/history/")) content[400] = 0;
  return files;
}

it.each(["kill", "power"] as const)(
  "a repair cut off at any step by a %s is done whole at last, and keeps everything",
  { timeout: 300_000 },
  async (how) => {
    const files = await damagedFiles();
    const [spoilt] = [...files]
      .filter(([path]) => path.includes("/history/"))
      .map(([, content]) => content);
    let fired = 0;
    for (let n = 1; ; n += 1) {
      const disk = copy(files);
      const fault = failAt(n, () => true, "die-before", false);
      disk.fate = fault.plan;
      await untilEnd(disk, repairWorkspace(optionsOn(disk), "newest-state"));
      if (!fault.fired()) break;
      fired += 1;
      const after = disk.reboot(seeded(n), how);
      if (await offerRepair(optionsOn(after)))
        await repairWorkspace(optionsOn(after), "newest-state");
      const { workspace } = await start(after, counter());
      await workspace.checked();
      expect(workspace.damage).toBeNull();
      expect(workspace.state.sessions.get("chat-0")?.messages.map((m) => m.id)).toEqual(MESSAGES);
      expect(workspace.state.incidents.some((incident) => incident.kind === "log.repaired")).toBe(
        true,
      );
      const kept = [...after.contents()].filter(
        ([path]) => path.startsWith(join(dir, "damaged")) && path.endsWith(".jsonl"),
      );
      expect(kept.some(([, content]) => spoilt !== undefined && content.equals(spoilt))).toBe(true);
    }
    expect(fired).toBeGreaterThan(50);
  },
);

const AT = "2025-12-11T07:00:00Z";
const earlier: Record<string, unknown> = {
  "design/wbs.json": {
    wbs_id: "w",
    project_root: PROJECT,
    created_at: AT,
    updated_at: AT,
    root_node_id: "node-root",
    node_index: [{ node_id: "node-root", parent_id: null, children: ["a", "b"] }],
  },
  "design/nodes/a.json": { node_id: "a", wbs_id: "w", name: "A", created_at: AT, updated_at: AT },
  "design/nodes/b.json": {
    node_id: "b",
    wbs_id: "w",
    name: "B",
    dependencies: ["a"],
    created_at: AT,
    updated_at: AT,
  },
  "state/tasks.json": {
    tasks: [
      {
        task_id: "t-a",
        node_id: "a",
        kind: "implementation",
        status: "COMPLETED",
        created_at: AT,
        updated_at: AT,
      },
    ],
  },
  "tasks/t-a.jsonl": {
    id: "t-a",
    title: "A",
    status: "SUCCEEDED",
    phaseName: "実装",
    createdAt: AT,
  },
  "history/actions-20251211.jsonl": { id: "act-1", at: AT, kind: "workspace.created" },
};

it.each(["kill", "power"] as const)(
  "an import cut off at any step by a %s gives the same when it is done over",
  { timeout: 300_000 },
  async (how) => {
    const files = new Map(
      Object.entries(earlier).map(([path, value]) => [
        join(dir, path),
        Buffer.from(`${JSON.stringify(value)}\n`),
      ]),
    );
    let fired = 0;
    for (let n = 1; ; n += 1) {
      const disk = copy(files);
      const fault = failAt(n, () => true, "die-before", false);
      disk.fate = fault.plan;
      const open = start(disk, counter()).then(({ workspace }) => workspace.close());
      await untilEnd(disk, open);
      if (!fault.fired()) break;
      fired += 1;
      const { workspace } = await start(disk.reboot(seeded(n), how), counter());
      const { state } = workspace;
      expect(workspace.damage).toBeNull();
      expect([...state.nodes.keys()].sort()).toEqual(["a", "b", "node-root"]);
      expect(state.nodes.get("a")?.phaseName).toBe("実装");
      expect([...state.tasks.values()].map((task) => `${task.id} ${task.progress}`).sort()).toEqual(
        ["a succeeded", "b waiting"],
      );
    }
    expect(fired).toBeGreaterThan(50);
  },
);
