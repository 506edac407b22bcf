import { apply, unfolding } from "@multiverse/protocol/apply/apply";
import type { Clock, NewId } from "@multiverse/protocol/clock";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { payloadProblem } from "@multiverse/protocol/fact-wire";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { giveWay, inSteps } from "./give-way.ts";
import type { HistoryPosition } from "./history-files.ts";
import { encodeLine, txId } from "./history-line.ts";
import { SyncFailed } from "./durable-file.ts";
import type { HistoryLog } from "./history-log.ts";
import { storageError } from "./storage-error.ts";

/** Sees the newest state and says what happens, or refuses by throwing. Synchronous: nothing can come in between. */
export type Decide = (state: WorkspaceState) => readonly NewFact[];

/** The same for a decision that takes long: others have their turns between its steps, but the state stays what it is. */
export type DecideInSteps = (state: WorkspaceState) => Generator<undefined, readonly NewFact[]>;

/** Facts per step, where there are many. */
const STEP = 250;

export interface Committed {
  readonly facts: readonly Fact[];
  readonly state: WorkspaceState;
}

export interface CommitQueueOptions {
  readonly workspaceId: string;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: HistoryLog;
  /** Called once per commit, in order, when its facts are on the disk; the next one waits for a promise. */
  readonly publish: (committed: Committed, bytes: number) => void | Promise<void>;
  /** These facts could not be written, and nothing of them is there. */
  readonly onUnwritten: (facts: readonly Fact[], error: Error) => void;
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
 * A decision in steps has the door to itself: what comes meanwhile decides on what it came to.
 */
export class CommitQueue {
  private readonly options: CommitQueueOptions;
  private durable: WorkspaceState;
  private newest: WorkspaceState;
  private pending: Pending[] = [];
  private batchSeq = 0;
  private flushing: Promise<void> | null = null;
  private stepping: Promise<unknown> | null = null;
  private dead: Error | null = null;
  /** Set while nothing may be written, such as after damage was found. */
  refusal: Error | null = null;
  private failures: { count: number; last: Error | null } = { count: 0, last: null };

  /** What is on the disk, and where history ended then: the pair a snapshot is made of. */
  point: { readonly state: WorkspaceState; readonly position: HistoryPosition | null };

  constructor(state: WorkspaceState, options: CommitQueueOptions) {
    this.options = options;
    this.durable = state;
    this.newest = state;
    this.point = { state, position: options.log.position };
  }

  commit(decide: Decide, by: string): Promise<Committed> {
    if (this.stepping) return this.stepping.then(() => this.commit(decide, by));
    try {
      this.refuse();
      const decided = decide(this.newest);
      if (decided.length === 0) return this.nothingToDo();
      return this.enqueue(decided, by);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** One that needs no second step is like any other. */
  commitInSteps(decide: DecideInSteps, by: string): Promise<Committed> {
    if (this.stepping) return this.stepping.then(() => this.commitInSteps(decide, by));
    try {
      this.refuse();
      const step = decide(this.newest).next();
      if (step.done) return this.commit(() => step.value, by);
    } catch (error) {
      return Promise.reject(error);
    }
    // From the beginning, when nothing is on its way that it would rest on.
    const prepared = this.prepare(decide, by).finally(() => (this.stepping = null));
    this.stepping = prepared.catch(() => {});
    return prepared.then(({ written }) => written);
  }

  /** Resolves when everything committed so far is on the disk or has failed. */
  async settled(): Promise<void> {
    while (this.stepping ?? this.flushing) await (this.stepping ?? this.flushing);
  }

  /** Ends all acknowledging, because of a failed fsync elsewhere in the workspace. */
  die(cause: unknown): void {
    if (this.dead) return;
    this.dead = storageError("the disk no longer confirms writes", cause);
    this.options.onFatal(this.dead);
  }

  private refuse(): void {
    const refusal = this.dead ?? this.refusal;
    if (refusal) throw refusal;
  }

  /** Ends before the write does, so that others get their turn; hence the promise within. */
  private async prepare(
    decide: DecideInSteps,
    by: string,
  ): Promise<{ written: Promise<Committed> }> {
    while (this.flushing) await this.flushing;
    this.refuse();
    const decided = await inSteps(decide(this.newest));
    if (decided.length === 0) return { written: this.nothingToDo() };
    const prepared = await inSteps(this.foldInSteps(decided, by));
    this.refuse();
    return { written: this.push(prepared) };
  }

  private *foldInSteps(
    decided: readonly NewFact[],
    by: string,
  ): Generator<undefined, Committed & { lines: string }> {
    const stamp = this.stamper(decided.length, by);
    const fold = unfolding(this.newest);
    const facts: Fact[] = [];
    let lines = "";
    for (const [i, one] of decided.entries()) {
      const fact = stamp(one, i);
      facts.push(fact);
      fold.add(fact);
      lines += encodeLine(fact);
      if (i % STEP === STEP - 1) yield;
    }
    return { facts, state: fold.end(), lines };
  }

  /** Even "nothing to do" may rest on a fact that is still on its way to the disk. */
  private async nothingToDo(): Promise<Committed> {
    const { seq } = this.newest;
    const failures = this.failures.count;
    while (this.flushing && this.durable.seq < seq && this.failures.count === failures) {
      await this.flushing;
    }
    if (this.dead) throw this.dead;
    if (this.failures.last && this.failures.count !== failures) throw this.failures.last;
    return { facts: [], state: this.durable };
  }

  private enqueue(decided: readonly NewFact[], by: string): Promise<Committed> {
    const facts = decided.map(this.stamper(decided.length, by));
    const state = apply(this.newest, facts);
    let lines = "";
    for (const fact of facts) lines += encodeLine(fact);
    return this.push({ facts, state, lines });
  }

  private push(prepared: Committed & { readonly lines: string }): Promise<Committed> {
    this.newest = prepared.state;
    return new Promise((resolve, reject) => {
      this.pending.push({ ...prepared, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  private stamper(n: number, by: string): (fact: NewFact, i: number) => Fact {
    const { clock, newId, workspaceId } = this.options;
    const first = this.newest.seq + 1;
    if (this.pending.length === 0) this.batchSeq = first;
    const tx = txId(this.batchSeq, first);
    const at = clock.now().toISOString();
    return (fact, i) => {
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
        n,
      } as const;
      return { ...fact, ...stamp, by: fact.by ?? by };
    };
  }

  private async flush(): Promise<void> {
    // Everyone who commits in this turn of the loop shares the first write.
    await giveWay();
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
      if (this.dead) this.fail(batch, this.dead);
      else await this.acknowledge(batch);
    }
    this.flushing = null;
  }

  private async acknowledge(batch: readonly Pending[]): Promise<void> {
    this.durable = batch.at(-1)?.state ?? this.durable;
    this.point = { state: this.durable, position: this.options.log.position };
    for (const { facts, state, lines, resolve } of batch) {
      const committed = { facts, state };
      const published = this.options.publish(committed, lines.length);
      if (published) await published;
      resolve(committed);
    }
  }

  private fail(batch: readonly Pending[], cause: unknown): void {
    const failed = [...batch, ...this.pending];
    this.pending = [];
    this.newest = this.durable;
    const { dead } = this;
    if (dead) return failed.forEach((commit) => commit.reject(dead));
    const error = storageError("the change could not be recorded", cause);
    this.failures = { count: this.failures.count + 1, last: error };
    if (cause instanceof SyncFailed) this.dead = error;
    for (const commit of failed) commit.reject(error);
    if (cause instanceof SyncFailed) this.options.onFatal(error);
    else
      this.options.onUnwritten(
        failed.flatMap((commit) => commit.facts),
        error,
      );
  }
}
