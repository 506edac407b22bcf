import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock, NewId } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { CommitQueue, type Committed, type Decide } from "./commit-queue.ts";
import type { FileSystem } from "./file-system.ts";
import { openHistoryLog } from "./history-log.ts";
import { acquireLock, type AcquireLock } from "./lock.ts";
import { nodeFileSystem } from "./node-file-system.ts";
import { recover } from "./recover.ts";
import type { Damage } from "./scan-history.ts";
import { workspaceIdOf } from "./workspace-id.ts";

export interface OpenOptions {
  readonly home: string;
  readonly projectRoot: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Where this process can be reached, for whoever finds the workspace taken. */
  readonly url?: string;
  /** The disk no longer confirms writes: the process must end with a code other than 0. */
  readonly onFatal?: (error: Error) => void;
  /** Something went wrong that nobody waits for: a subscriber's error, a view that cannot be written. */
  readonly onProblem?: (message: string, error: unknown) => void;
  readonly fs?: FileSystem;
  readonly acquireLock?: AcquireLock;
}

export type Listener = (facts: readonly Fact[], state: WorkspaceState) => void;

export interface Workspace {
  readonly id: string;
  readonly dir: string;
  readonly projectRoot: string;
  /** What is on the disk and published. */
  readonly state: WorkspaceState;
  /** Why the workspace is read-only, or null. */
  readonly damage: Damage | null;
  commit(decide: Decide, options?: { readonly by?: string }): Promise<Committed>;
  subscribe(listener: Listener): () => void;
  /** Facts after `seq`, or null if that is too far back (send the state instead). */
  factsSince(seq: number): Promise<Fact[] | null>;
  close(): Promise<void>;
}

const FOLDERS = [
  "history",
  "snapshots",
  "design/nodes",
  "state",
  "tasks",
  "attempts",
  "backlog",
  "chat",
  "logs/attempts",
];

export async function openWorkspace(options: OpenOptions): Promise<Workspace> {
  const fs = options.fs ?? nodeFileSystem;
  const projectRoot = options.fs ? options.projectRoot : await realpath(options.projectRoot);
  const id = workspaceIdOf(projectRoot);
  const dir = join(options.home, "workspaces", id);
  for (const folder of FOLDERS) await fs.makeFolder(join(dir, folder));
  const lock = await (options.acquireLock ?? acquireLock)(dir, options.url ?? null);

  const history = join(dir, "history");
  const { state: recovered, end, recent, damage } = await recover(fs, history);
  const log = openHistoryLog(fs, history, end);
  const listeners = new Set<Listener>();
  const problem = options.onProblem ?? (() => {});
  let state = recovered;

  const publish = (committed: Committed, bytes: number) => {
    state = committed.state;
    recent.add(committed.facts, bytes);
    for (const listener of listeners) {
      try {
        listener(committed.facts, committed.state);
      } catch (error) {
        problem("a subscriber failed", error);
      }
    }
  };
  const queue = new CommitQueue(recovered, {
    workspaceId: id,
    clock: options.clock,
    newId: options.newId,
    log,
    publish,
    onUnwritten: () => {},
    onFatal: options.onFatal ?? (() => {}),
  });

  const workspace: Workspace = {
    id,
    dir,
    projectRoot,
    get state() {
      return state;
    },
    damage,
    commit: (decide, { by = "system" } = {}) => {
      if (damage) return Promise.reject(readOnly(damage));
      return queue.commit(decide, by);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    factsSince: (seq) => Promise.resolve(recent.since(seq, state.seq)),
    close: async () => {
      await queue.settled();
      await log.close();
      await lock.release();
    },
  };

  if (!state.workspace && !damage) {
    const name = basename(projectRoot);
    await workspace.commit(() => [
      { kind: "workspace.created", payload: { projectRoot, name, wbsId: `wbs-${id}` } },
    ]);
  }
  return workspace;
}

const readOnly = ({ file, offset, problem }: Damage): MultiverseError =>
  new MultiverseError(
    "WORKSPACE_READ_ONLY",
    `The history is damaged at ${file}, byte ${offset}: ${problem}.`,
    {
      hint: "Nothing is lost or overwritten. `multiverse repair` shows the ways out.",
    },
  );
