import { Map as IMap, Set as ISet } from "immutable";
import type { Attempt } from "./attempt.ts";
import type { BacklogItem } from "./backlog.ts";
import type { ChatMessage } from "./chat-message.ts";
import type { Execution } from "./execution.ts";
import { ROOT_ID, type NodeRuntime, type PlanNode, type Verification } from "./plan-node.ts";
import type { Task } from "./task.ts";
import type { Tooling } from "./tooling.ts";

/** Messages kept in the state per session; the whole conversation is in chat/<session-id>.jsonl. */
export const CHAT_TAIL = 200;
/** Storage incidents kept for the banner; all of them are in history. */
export const INCIDENT_TAIL = 20;

/** Finished attempts kept in the state per task; all of them are in history, and a task counts them itself. */
export const ATTEMPT_TAIL = 20;

export interface ChatSession {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messageCount: number;
  readonly messages: readonly ChatMessage[];
}

export interface NodeTest {
  readonly nodeId: string;
  readonly status: Verification;
  readonly testTaskId: string;
  readonly summary: string;
  readonly at: string;
}

export interface Incident {
  readonly kind: "log.repaired" | "state_save_failed" | "history_failed";
  readonly at: string;
  readonly message: string;
}

export interface WorkspaceInfo {
  readonly id: string;
  readonly name: string;
  readonly projectRoot: string;
  readonly wbsId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * Derived from the rest and kept in step by `apply` in O(change), so that nobody scans the plan:
 * who depends on a node, how many of a node's dependencies are unmet, which tasks wait for nothing but a slot
 * (or a retry time), which are running.
 */
export interface Index {
  readonly dependants: IMap<string, ISet<string>>;
  /** Only nodes that wait for something. */
  readonly unmet: IMap<string, number>;
  readonly runnable: ISet<string>;
  readonly running: ISet<string>;
  /** Case-folded id → id, since two ids that differ only in case are refused. */
  readonly folded: IMap<string, string>;
  /** Tasks of a node other than the implementing one. */
  readonly extraTasks: IMap<string, ISet<string>>;
  /** The attempts of a task that the state still knows. */
  readonly attemptsOf: IMap<string, ISet<string>>;
}

/** Everything the facts add up to. Immutable: an old state stays valid, and sharing makes a change cost O(change). */
export interface WorkspaceState {
  readonly seq: number;
  /** The id of the fact with that seq: a repair can give the number to another one, and then the pasts differ. */
  readonly factId: string;
  readonly epoch: number;
  readonly nextTaskNumber: number;
  readonly workspace: WorkspaceInfo | null;
  readonly nodes: IMap<string, PlanNode>;
  readonly runtimes: IMap<string, NodeRuntime>;
  readonly tasks: IMap<string, Task>;
  readonly attempts: IMap<string, Attempt>;
  readonly backlog: IMap<string, BacklogItem>;
  readonly tests: IMap<string, NodeTest>;
  readonly sessions: IMap<string, ChatSession>;
  readonly execution: Execution;
  readonly tooling: Tooling | null;
  readonly incidents: readonly Incident[];
  readonly index: Index;
}

const emptyIndex: Index = {
  dependants: IMap(),
  unmet: IMap(),
  runnable: ISet(),
  running: ISet(),
  folded: IMap(),
  extraTasks: IMap(),
  attemptsOf: IMap(),
};

export const rootNode = (at: string): PlanNode => ({
  id: ROOT_ID,
  title: "",
  description: "",
  kind: "root",
  priority: null,
  effort: null,
  dependencies: [],
  acceptanceCriteria: [],
  designNotes: [],
  suggestedImpl: null,
  test: null,
  phaseName: "",
  milestone: "",
  wbsLevel: 0,
  workType: "",
  domain: "",
  tags: [],
  conflictsWith: [],
  origin: "",
  createdAt: at,
  createdBy: "",
  parentId: null,
  children: [],
  updatedAt: at,
});

export const emptyState: WorkspaceState = {
  seq: 0,
  factId: "",
  epoch: 0,
  nextTaskNumber: 1,
  workspace: null,
  nodes: IMap(),
  runtimes: IMap(),
  tasks: IMap(),
  attempts: IMap(),
  backlog: IMap(),
  tests: IMap(),
  sessions: IMap(),
  execution: { status: "IDLE", pausedFor: null, since: null },
  tooling: null,
  incidents: [],
  index: emptyIndex,
};
