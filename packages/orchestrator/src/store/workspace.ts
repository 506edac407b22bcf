import type { Clock, NewId } from "@multiverse/protocol/clock";
import type { AgentsFile } from "@multiverse/protocol/design-files";
import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Committed, Decide, DecideInSteps } from "./commit-queue.ts";
import type { FileSystem } from "./file-system.ts";
import type { AcquireLock } from "./lock.ts";
import type { FactQuery } from "./past.ts";
import type { Damage } from "./scan-history.ts";
import type { RestoreOptions } from "./snapshot-keeper.ts";
import type { SnapshotInfo } from "./snapshots.ts";
import type { Listener } from "./subscribers.ts";

export interface OpenOptions {
  readonly home: string;
  readonly projectRoot: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Where this process can be reached, for whoever finds the workspace taken. */
  readonly url?: string;
  /** The disk no longer confirms writes: the process must end with a code other than 0. */
  readonly onFatal?: (error: Error) => void;
  /** Damage found while the workspace is open; it is read-only from now on. */
  readonly onDamage?: (damage: Damage) => void;
  /** Something went wrong that nobody waits for: a subscriber's error, a view that cannot be written. */
  readonly onProblem?: (message: string, error: unknown) => void;
  readonly fs?: FileSystem;
  readonly acquireLock?: AcquireLock;
}

/** A slot for `state/agents.json`; which tasks run in it follows from the facts. */
export type AgentSlot = Omit<AgentsFile["agents"][number], "running_tasks">;

/** An open workspace: the state that its history adds up to, and the one door through which it changes. */
export interface Workspace {
  readonly id: string;
  readonly dir: string;
  readonly projectRoot: string;
  /** What is on the disk and published. */
  readonly state: WorkspaceState;
  /** Why the workspace is read-only, or null. */
  readonly damage: Damage | null;
  /** `full`: changes are refused until the disk takes them again. `failed`: this process must end. */
  readonly storage: "ok" | "full" | "failed";

  /** Resolves when the facts are on the disk and published; a refused decision leaves no trace. */
  commit(decide: Decide, options?: { readonly by?: string }): Promise<Committed>;
  /** The same for a decision that takes long and so gives way to others between its steps. */
  commitInSteps(decide: DecideInSteps, options?: { readonly by?: string }): Promise<Committed>;
  /** Every commit from now on, in order. */
  subscribe(listener: Listener): () => void;
  /** Facts after `seq`, or null if that is too far back (send the state instead). */
  factsSince(seq: number): Promise<Fact[] | null>;
  /** A page of history, whatever its age. */
  readFacts(query: FactQuery): Promise<Fact[]>;
  stateAt(seq: number): Promise<WorkspaceState>;

  createSnapshot(options?: { readonly by?: string }): Promise<SnapshotInfo>;
  listSnapshots(): Promise<SnapshotInfo[]>;
  restoreSnapshot(id: string, options?: RestoreOptions): Promise<Committed>;

  /** What `state/agents.json` lists; set by whoever knows the slots. */
  setAgents(agents: readonly AgentSlot[]): void;
  /** Tells others where this process can be reached. */
  announce(url: string): Promise<void>;
  /** Resolves when the views show the newest state (or could not be written). */
  flush(): Promise<void>;
  /** Resolves when the checks that run behind the opening are through. */
  checked(): Promise<void>;
  close(): Promise<void>;
}
