import type { NewId, Random } from "@multiverse/protocol/clock";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import { openWorkspace } from "../open-workspace.ts";
import type { Workspace } from "../workspace.ts";
import { message, nodeAndTask, randomFacts } from "./random-facts.ts";
import { below } from "./random.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import type { FatePlan, SimulatedDisk } from "./simulated-disk.ts";
import { stateText, type Witness } from "./witness.ts";
import { viewProblems } from "./view-problems.ts";

export const PROJECT = "/project";
export const HOME = "/home";
const DAY_MS = 86_400_000;

/** One process: a store on a disk. It lives until it is closed or the disk ends it. */
export interface Process {
  readonly workspace: Workspace;
  readonly clock: SimulatedClock;
  fatal: boolean;
}

export async function start(disk: SimulatedDisk, newId: NewId): Promise<Process> {
  let fatal = false;
  const clock = new SimulatedClock(() => disk.ended);
  const workspace = await openWorkspace({
    home: HOME,
    projectRoot: PROJECT,
    clock,
    newId,
    fs: disk.fs,
    acquireLock: async () => ({ announce: async () => {}, release: async () => {} }),
    onFatal: () => (fatal = true),
  });
  return {
    workspace,
    clock,
    get fatal() {
      return fatal;
    },
  };
}

export const counter = (): NewId => {
  let count = 0;
  return (prefix) => `${prefix}-${(count += 1)}`;
};

/** A bit of everything the store does, the same every time. */
export async function script(process: Process, witness: Witness): Promise<void> {
  const { workspace, clock } = process;
  witness.watch(workspace);
  await witness.commit(workspace, () => [
    ...nodeAndTask("a", ROOT_ID, 0),
    ...nodeAndTask("b", ROOT_ID, 1, ["a"]),
  ]);
  await Promise.all(
    [1, 2, 3].map((i) =>
      witness.commit(workspace, () => [message(`m-${i}`, "chat-0", "こんにちは")]),
    ),
  );
  const first = await workspace.createSnapshot().catch(() => null);
  clock.jump(DAY_MS);
  await witness.commit(workspace, (state) =>
    state.nodes.has("b")
      ? [{ kind: "node.moved", payload: { nodeId: "b", parentId: "a", index: 0 } }]
      : [],
  );
  await witness.commit(workspace, () => nodeAndTask("c", ROOT_ID, 0));
  await workspace.flush();
  if (first) await workspace.restoreSnapshot(first.id).catch(() => null);
  clock.jump(-2 * DAY_MS);
  await witness.commit(workspace, () => [message("m-4", "chat-0", "after the clock went back")]);
  await workspace.close();
}

/** Random commits, one after the other and at once, with jumps of the clock, snapshots and restores in between. */
export async function randomWork(
  process: Process,
  witness: Witness,
  random: Random,
  newId: NewId,
  steps: number,
): Promise<void> {
  const { workspace, clock } = process;
  witness.watch(workspace);
  for (let i = 0; i < steps; i += 1) {
    const writers = 1 + below(random, 4);
    await Promise.all(
      Array.from({ length: writers }, () =>
        witness.commit(workspace, (state) => randomFacts(state, random, newId)),
      ),
    );
    const chance = below(random, 20);
    if (chance === 0) clock.jump((random() - 0.4) * 3 * DAY_MS);
    if (chance === 1) await workspace.createSnapshot().catch(() => null);
    if (chance === 2) await restoreAny(workspace, random);
    if (chance === 3) await workspace.flush();
  }
}

async function restoreAny(workspace: Workspace, random: Random): Promise<void> {
  const list = await workspace.listSnapshots().catch(() => []);
  const chosen = list[below(random, Math.max(1, list.length))];
  const stop = async (): Promise<void> => {
    await workspace.commit((state) =>
      [...state.index.running].map((taskId) => ({
        kind: "task.canceled",
        payload: { taskId, attemptId: null, stopped: true },
      })),
    );
  };
  if (chosen) await workspace.restoreSnapshot(chosen.id, { force: true, stop }).catch(() => null);
}

/** Runs until the work is done or the disk ended the process, whichever comes first. */
export async function untilEnd(disk: SimulatedDisk, work: Promise<unknown>): Promise<void> {
  let done = false;
  const finished = work.then(
    () => (done = true),
    () => (done = true),
  );
  while (!done && !disk.ended) {
    await Promise.race([finished, new Promise((resolve) => setImmediate(resolve))]);
  }
}

/** Opens what a crash left, twice, and compares it with what was promised. */
export async function aftermath(
  disk: SimulatedDisk,
  witness: Witness,
  newId: NewId,
  random: Random,
): Promise<string[]> {
  const first = await start(disk, newId);
  const problems = await witness.problems(first.workspace);
  const before = stateText(first.workspace.state);
  const again = disk.reboot(random, "kill");
  const second = await start(again, newId);
  if (stateText(second.workspace.state) !== before)
    problems.push("opening twice gives different states");
  await second.workspace.checked();
  await second.workspace.flush();
  problems.push(...(await viewProblems(again, second.workspace)));
  const extra = await witness.commit(second.workspace, () => [
    message(newId("msg"), "chat-0", "it still works"),
  ]);
  if (!extra) problems.push("it does not take changes any more");
  await second.workspace.close();
  return problems;
}

/** Nothing, then a fault at the n-th operation that fits, once or from then on. */
export function failAt(
  n: number,
  fits: (operation: string) => boolean,
  fate: ReturnType<FatePlan>,
  lasting: boolean,
): { plan: FatePlan; fired: () => boolean } {
  let seen = 0;
  const plan: FatePlan = (operation) => {
    if (!fits(operation)) return "fine";
    seen += 1;
    return seen === n || (lasting && seen > n) ? fate : "fine";
  };
  return { plan, fired: () => seen >= n };
}
