import { apply } from "@multiverse/protocol/apply/apply";
import type { Clock, NewId } from "@multiverse/protocol/clock";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { payloadProblem } from "@multiverse/protocol/fact-wire";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { encodeLine, txId } from "./history-line.ts";
import { SyncFailed, type HistoryLog } from "./history-log.ts";
import { storageError } from "./storage-error.ts";

/** Sees the newest state and says what happens, or refuses by throwing. Synchronous: nothing can come in between. */
export type Decide = (state: WorkspaceState) => readonly NewFact[];

export interface Committed {
  readonly facts: readonly Fact[];
  readonly state: WorkspaceState;
}

export interface CommitQueueOptions {
  readonly workspaceId: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: HistoryLog;
  /** Called once per commit, in order, when its facts are on the disk. */
  readonly publish: (committed: Committed, bytes: number) => void;
  /** A commit could not be written; the actions it would have recorded. */
  readonly onUnwritten: (actionIds: readonly string[], error: Error) => void;
  readonly onFatal: (error: Error) => void;
}

interface Pending extends Committed {
  readonly lines: string;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The one door: decisions run one at a time on the newest state, also on what is not on the disk yet. Commits that come
 * while a write is under way share the next write and its fsync. If a write fails, all that built on it fails with it.
 */
export class CommitQueue {
  private readonly options: CommitQueueOptions;
  private durable: WorkspaceState;
  private newest: WorkspaceState;
  private pending: Pending[] = [];
  private batchSeq = 0;
  private flushing: Promise<void> | null = null;
  private dead: Error | null = null;

  constructor(state: WorkspaceState, options: CommitQueueOptions) {
    this.options = options;
    this.durable = state;
    this.newest = state;
  }

  commit(decide: Decide, by: string): Promise<Committed> {
    try {
      if (this.dead) throw this.dead;
      const decided = decide(this.newest);
      if (decided.length === 0) return this.nothingToDo();
      return this.enqueue(decided, by);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** Resolves when everything committed so far is on the disk or has failed. */
  async settled(): Promise<void> {
    while (this.flushing) await this.flushing;
  }

  /** Even "nothing to do" may rest on a fact that is still on its way to the disk. */
  private async nothingToDo(): Promise<Committed> {
    const state = this.newest;
    while (this.flushing && this.durable.seq < state.seq) await this.flushing;
    if (this.dead) throw this.dead;
    return { facts: [], state: this.durable };
  }

  private enqueue(decided: readonly NewFact[], by: string): Promise<Committed> {
    const facts = this.stamp(decided, by);
    const state = apply(this.newest, facts);
    let lines = "";
    for (const fact of facts) lines += encodeLine(fact);
    this.newest = state;
    return new Promise((resolve, reject) => {
      this.pending.push({ facts, state, lines, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  private stamp(decided: readonly NewFact[], by: string): Fact[] {
    const { clock, newId, workspaceId } = this.options;
    const first = this.newest.seq + 1;
    if (this.pending.length === 0) this.batchSeq = first;
    const tx = txId(this.batchSeq, first);
    const at = clock.now().toISOString();
    return decided.map((fact, i) => {
      const problem = payloadProblem(fact);
      if (problem) throw new Error(`a decision made a fact that is not valid: ${problem}`);
      const stamp = {
        v: 1,
        seq: first + i,
        id: newId("act"),
        at,
        workspaceId,
        tx,
        i,
        n: decided.length,
      } as const;
      return { ...fact, ...stamp, by: fact.by ?? by } as Fact;
    });
  }

  private async flush(): Promise<void> {
    // Everyone who commits in this turn of the loop shares the first write.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.pending.length > 0) {
      const batch = this.pending;
      this.pending = [];
      const bytes = Buffer.from(batch.map((commit) => commit.lines).join(""));
      try {
        await this.options.log.append(bytes, this.options.clock.now());
      } catch (error) {
        this.fail(batch, error);
        continue;
      }
      for (const commit of batch) this.acknowledge(commit);
    }
    this.flushing = null;
  }

  private acknowledge(commit: Pending): void {
    this.durable = commit.state;
    const committed = { facts: commit.facts, state: commit.state };
    this.options.publish(committed, commit.lines.length);
    commit.resolve(committed);
  }

  private fail(batch: readonly Pending[], cause: unknown): void {
    const failed = [...batch, ...this.pending];
    this.pending = [];
    this.newest = this.durable;
    const error = storageError("the change could not be recorded", cause);
    if (cause instanceof SyncFailed) this.dead = error;
    for (const commit of failed) commit.reject(error);
    if (this.dead) this.options.onFatal(this.dead);
    else
      this.options.onUnwritten(
        failed.flatMap((commit) => commit.facts.map((fact) => fact.id)),
        error,
      );
  }
}
