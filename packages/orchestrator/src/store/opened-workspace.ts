import { join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { checkHistory } from "./check-history.ts";
import { CommitQueue, type Committed, type Decide, type DecideInSteps } from "./commit-queue.ts";
import { SyncFailed } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import { atOnce, inSteps } from "./give-way.ts";
import { openHistoryLog, type HistoryLog } from "./history-log.ts";
import type { Lock } from "./lock.ts";
import { noSuchMoment, readFacts, stateAt, type FactQuery } from "./past.ts";
import type { Recovered } from "./recover.ts";
import type { Damage } from "./scan-history.ts";
import { SnapshotKeeper, type RestoreOptions, type SnapshotReason } from "./snapshot-keeper.ts";
import type { SnapshotInfo } from "./snapshots.ts";
import { isDiskError, storageError } from "./storage-error.ts";
import { Subscribers, type Listener } from "./subscribers.ts";
import { UnwrittenActions } from "./unwritten-actions.ts";
import { ViewKeeper } from "./views/view-keeper.ts";
import type { AgentSlot, OpenOptions, Workspace } from "./workspace.ts";

/** A commit of more is published step by step. */
const MANY_FACTS = 2_000;

interface Place {
  readonly id: string;
  readonly dir: string;
  readonly projectRoot: string;
  readonly lock: Lock;
}

/** Holds the parts together: queue → subscribers → views and snapshots. */
export class OpenedWorkspace implements Workspace {
  readonly id: string;
  readonly dir: string;
  readonly projectRoot: string;
  state: WorkspaceState;
  damage: Damage | null;
  storage: "ok" | "full" | "failed" = "ok";
  private readonly options: OpenOptions & { readonly fs: FileSystem };
  private readonly lock: Lock;
  private readonly recovered: Recovered;
  private readonly log: HistoryLog;
  private readonly queue: CommitQueue;
  private readonly subscribers: Subscribers;
  private readonly unwritten: UnwrittenActions;
  private readonly snapshots: SnapshotKeeper;
  private readonly views: ViewKeeper;
  private readonly closing = new AbortController();
  private background: Promise<unknown> = Promise.resolve();
  private closed: Promise<void> | null = null;

  constructor(
    options: OpenOptions & { readonly fs: FileSystem },
    place: Place,
    recovered: Recovered,
  ) {
    const { fs, clock, newId } = options;
    this.options = options;
    this.recovered = recovered;
    this.id = place.id;
    this.dir = place.dir;
    this.projectRoot = place.projectRoot;
    this.lock = place.lock;
    this.state = recovered.state;
    this.damage = recovered.damage;
    this.subscribers = new Subscribers(this.problem);
    this.log = openHistoryLog(fs, join(place.dir, "history"), recovered.end);
    this.queue = new CommitQueue(recovered.state, {
      workspaceId: place.id,
      clock,
      newId,
      log: this.log,
      publish: (committed, bytes) => this.publish(committed, bytes),
      onUnwritten: (facts, error) => {
        this.storage = "full";
        this.unwritten.note(facts, error);
      },
      onFatal: (error) => this.fatal(error),
    });
    this.queue.refusal = this.damage && readOnly(this.damage);
    const write = (facts: readonly NewFact[]) => this.queue.commit(() => facts, "store");
    this.unwritten = new UnwrittenActions({ clock, signal: this.closing.signal, write });
    this.snapshots = new SnapshotKeeper({
      fs,
      dir: place.dir,
      clock,
      queue: this.queue,
      base: recovered.base,
    });
    this.views = new ViewKeeper({
      fs,
      dir: place.dir,
      clock,
      state: () => this.state,
      record: (fact) => write([fact]).catch(() => {}),
      onProblem: this.problem,
    });
  }

  commit(decide: Decide, { by = "system" }: { readonly by?: string } = {}): Promise<Committed> {
    if (this.closed) return Promise.reject(closedError());
    this.unwritten.record();
    return this.queue.commit(decide, by);
  }

  commitInSteps(
    decide: DecideInSteps,
    { by = "system" }: { readonly by?: string } = {},
  ): Promise<Committed> {
    if (this.closed) return Promise.reject(closedError());
    this.unwritten.record();
    return this.queue.commitInSteps(decide, by);
  }

  subscribe(listener: Listener): () => void {
    return this.subscribers.add(listener);
  }

  factsSince(seq: number): Promise<Fact[] | null> {
    return Promise.resolve(this.recovered.recent.since(seq, this.state.seq));
  }

  /** What stands in the file but is not confirmed yet does not count. */
  async readFacts(query: FactQuery): Promise<Fact[]> {
    const { seq } = this.state;
    const facts = await readFacts(this.options.fs, this.dir, query);
    return facts.filter((fact) => fact.seq <= seq);
  }

  async stateAt(seq: number): Promise<WorkspaceState> {
    if (seq === this.state.seq) return this.state;
    if (seq > this.state.seq) throw noSuchMoment(seq);
    return stateAt(this.options.fs, this.dir, seq);
  }

  createSnapshot({ by = "user" }: { readonly by?: string } = {}): Promise<SnapshotInfo> {
    return this.snapshot("requested", by);
  }

  listSnapshots(): Promise<SnapshotInfo[]> {
    return this.snapshots.list();
  }

  async restoreSnapshot(id: string, options: RestoreOptions = {}): Promise<Committed> {
    if (this.queue.refusal) throw this.queue.refusal;
    return this.guarded(() => this.snapshots.restore(id, options));
  }

  setAgents(agents: readonly AgentSlot[]): void {
    this.views.setAgents(agents);
  }

  announce(url: string): Promise<void> {
    return this.lock.announce(url);
  }

  flush(): Promise<void> {
    return this.views.flush();
  }

  async checked(): Promise<void> {
    await this.background;
  }

  close(): Promise<void> {
    this.closed ??= this.finish();
    return this.closed;
  }

  /** Ends everything without a trace: opening failed, and soon someone else may hold the lock. */
  async abandon(error: unknown): Promise<void> {
    this.closing.abort();
    this.queue.refusal = error instanceof Error ? error : closedError();
    await this.queue.settled();
    await this.log.close();
  }

  /** What opening does not wait for: older history and the views. */
  startBackground(): void {
    this.background = Promise.all([
      this.checkOlderHistory(),
      this.damage ? null : this.views.catchUp(this.closing.signal),
    ]);
    this.background.catch((error: unknown) =>
      this.problem("the workspace could not be checked", error),
    );
  }

  private async finish(): Promise<void> {
    this.closing.abort();
    await this.background.catch(() => {});
    await this.queue.settled();
    if (!this.damage && this.storage !== "failed") {
      if (!this.snapshots.upToDate) {
        await this.snapshot("stop", "store").catch((error: unknown) =>
          this.problem("no snapshot at stop", error),
        );
      }
      await this.views.close();
    }
    await this.queue.settled();
    this.queue.refusal = closedError();
    await this.log.close();
    await this.lock.release();
  }

  /** What thousands of facts mean to each of those who listen is worked out with turns for others in between. */
  private publish({ facts, state }: Committed, bytes: number): void | Promise<void> {
    const before = this.state;
    this.state = state;
    if (this.storage === "full") this.storage = "ok";
    this.recovered.recent.add(facts, bytes);
    if (facts.length > MANY_FACTS)
      return inSteps(this.subscribers.tellInTurn(facts, state)).then(() =>
        inSteps(this.keep(facts, before, bytes)),
      );
    this.subscribers.tell(facts, state);
    return atOnce(this.keep(facts, before, bytes));
  }

  private *keep(
    facts: readonly Fact[],
    before: WorkspaceState,
    bytes: number,
  ): Generator<undefined, void> {
    yield* this.views.follow(facts, before);
    if (this.snapshots.count(facts, bytes)) {
      this.snapshot("automatic", "store").catch((error: unknown) =>
        this.problem("no snapshot was taken", error),
      );
    }
  }

  private async snapshot(reason: SnapshotReason, by: string): Promise<SnapshotInfo> {
    if (this.queue.refusal) throw this.queue.refusal;
    return this.guarded(() => this.snapshots.create(reason, by));
  }

  /** A failed fsync anywhere ends the process; other failures of the disk are told in our words. */
  private async guarded<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (error instanceof SyncFailed) this.queue.die(error);
      throw isDiskError(error) ? storageError("the snapshot could not be written", error) : error;
    }
  }

  private async checkOlderHistory(): Promise<void> {
    const { base, files } = this.recovered;
    if (!base.position || this.damage) return;
    const until = { seq: base.seq, position: base.position };
    const damage = await checkHistory(
      this.options.fs,
      join(this.dir, "history"),
      files,
      until,
      this.closing.signal,
    );
    if (!damage) return;
    this.damage = damage;
    this.queue.refusal = readOnly(damage);
    this.options.onDamage?.(damage);
  }

  private fatal(error: Error): void {
    this.storage = "failed";
    this.options.onFatal?.(error);
  }

  private readonly problem = (message: string, error: unknown): void => {
    this.options.onProblem?.(message, error);
  };
}

const readOnly = ({ file, offset, problem }: Damage): MultiverseError =>
  new MultiverseError(
    "WORKSPACE_READ_ONLY",
    `The history is damaged at ${file}, byte ${offset}: ${problem}.`,
    {
      hint: "Nothing was skipped or overwritten. `multiverse repair` shows the ways out.",
    },
  );

const closedError = (): MultiverseError =>
  new MultiverseError("CONFLICT", "The workspace is being closed.", { hint: "Open it again." });
