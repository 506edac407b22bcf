import { join } from "node:path";
import type { Clock } from "@multiverse/protocol/clock";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "../file-system.ts";
import { giveWay } from "../give-way.ts";
import type { AgentSlot } from "../workspace.ts";
import { writeWorkspaceFile } from "../workspace-file.ts";
import { compareViews, sweepViews } from "./compare-views.ts";
import { EntityWriter, pathOf, type EntityView } from "./entity-writer.ts";
import { touchAll, type Touch } from "./touched.ts";
import { replaceFile } from "./view-file.ts";
import { WHOLE_VIEWS, WholeViews, type WholeView } from "./whole-views.ts";

export interface ViewKeeperOptions {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly clock: Clock;
  readonly state: () => WorkspaceState;
  /** Records that a view could not be written; itself allowed to fail. */
  readonly record: (fact: NewFact) => Promise<unknown>;
  readonly onProblem: (message: string, error: unknown) => void;
}

/** Whole-file views lag behind by this much at most; less while they are cheap to write. */
const MAX_LAG_MS = 1_000;
const MIN_LAG_MS = 20;
/** The share of time that may go into writing whole-file views. */
const LAG_PER_COST = 20;
/** Timers cannot wait for ever; looking once more does no harm. */
const LONGEST_WAIT_MS = 3_600_000;
const RETRY_MS = { first: 1_000, most: 30_000 } as const;

/**
 * Brings the views up to date behind the facts. Files of single things follow at once and cost what changed; whole-file
 * views are coalesced. What cannot be written is recorded once, and tried again until it can.
 */
export class ViewKeeper {
  private readonly options: ViewKeeperOptions;
  private readonly entities: EntityWriter;
  private readonly wholes: WholeViews;
  private readonly dirty = new Map<string, EntityView>();
  private readonly dirtyWhole = new Set<WholeView>();
  private readonly failing = new Map<
    string,
    { readonly tries: number; readonly view: EntityView | null }
  >();
  private readonly stopped = new AbortController();
  private agents: readonly AgentSlot[] = [];
  /** Writes happen one after the other; everything that touches a file waits for its turn here. */
  private turns: Promise<unknown> = Promise.resolve();
  private comparing: Promise<void> | null = null;
  private awake = false;
  private waitingForLag = false;
  private lag = MIN_LAG_MS;
  private replaced = false;
  private refreshAt: number | null = null;

  constructor(options: ViewKeeperOptions) {
    this.options = options;
    this.entities = new EntityWriter(options.fs, options.dir);
    this.wholes = new WholeViews(giveWay);
  }

  setAgents(agents: readonly AgentSlot[]): void {
    this.agents = agents;
    this.touches.whole("state/agents.json");
  }

  *follow(facts: readonly Fact[], before: WorkspaceState): Generator<undefined, void> {
    for (const fact of facts) this.keepWhatTheStateDoesNot(fact);
    yield* touchAll(facts, before, this.touches);
    if (this.replaced && this.comparing) void this.catchUp(this.stopped.signal);
    this.wake();
  }

  /** Compares all views with the state, and writes those that differ. */
  catchUp(signal: AbortSignal): Promise<void> {
    this.replaced = false;
    const before = this.comparing ?? Promise.resolve();
    this.comparing = before
      .then(() => this.compare(signal))
      .catch((error: unknown) => this.options.onProblem("the views could not be compared", error));
    return this.comparing;
  }

  /** Writes everything that is out of date now, also what failed a moment ago. */
  async flush(): Promise<void> {
    await this.comparing;
    for (const path of this.failing.keys()) this.again(path);
    do {
      await this.inTurn(async () => {
        await this.writeEntities();
        await this.writeWholes();
      });
    } while (this.dirty.size > 0 || this.dirtyWhole.size > 0);
  }

  async close(): Promise<void> {
    await this.flush();
    this.stopped.abort();
    await this.turns;
  }

  private async compare(signal: AbortSignal): Promise<void> {
    const { fs, dir, clock, state, onProblem } = this.options;
    await this.inTurn(() => this.writeWorkspaceFile());
    await this.inTurn(() => sweepViews(fs, dir, state, signal));
    await compareViews({
      fs,
      dir,
      state,
      clock,
      signal,
      touch: this.touches,
      entities: this.entities,
      onProblem,
      inTurn: (step) => this.inTurn(step),
      wholeText: (view) => this.wholeText(view),
    });
    this.wake();
    await this.turns;
  }

  private writeWorkspaceFile(): Promise<void> {
    const { fs, dir, clock, state } = this.options;
    return this.attempt(WORKSPACE_FILE, () => writeWorkspaceFile(fs, dir, state(), clock.now()));
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.turns.then(step);
    this.turns = done.catch(() => {});
    return done;
  }

  private readonly touches: Touch = {
    node: (id) => this.mark({ kind: "node", id }),
    task: (id) => this.mark({ kind: "task", id }),
    attempt: (id) => this.mark({ kind: "attempt", id }),
    backlog: (id) => this.mark({ kind: "backlog", id }),
    session: (id) => this.mark({ kind: "session", id }),
    whole: (view) => {
      this.dirtyWhole.add(view);
      if (!this.waitingForLag) void this.writeWholesAfterLag();
    },
    everything: () => (this.replaced = true),
  };

  private mark(view: EntityView): void {
    this.dirty.set(pathOf(view), view);
  }

  private keepWhatTheStateDoesNot(fact: Fact): void {
    if (fact.kind === "attempt.finished")
      this.entities.results.set(fact.payload.attemptId, fact.payload.result);
    if (fact.kind !== "chat.message") return;
    const { message } = fact.payload;
    const waiting = this.entities.messages.get(message.sessionId);
    if (waiting) waiting.push(message);
    else this.entities.messages.set(message.sessionId, [message]);
  }

  private wake(): void {
    if (this.awake || this.dirty.size === 0) return;
    this.awake = true;
    void this.inTurn(async () => {
      await giveWay();
      this.awake = false;
      await this.writeEntities();
    });
  }

  private async writeEntities(): Promise<void> {
    const { state, clock } = this.options;
    for (const [path, view] of this.dirty) {
      this.dirty.delete(path);
      await this.attempt(
        path,
        () => this.entities.write(view, state(), clock.now().getTime()),
        view,
      );
    }
  }

  private async writeWholesAfterLag(): Promise<void> {
    this.waitingForLag = true;
    await this.options.clock.sleep(this.lag, this.stopped.signal).catch(() => {});
    await this.inTurn(async () => {
      this.waitingForLag = false; // only now: while files of single things are written, one who waits is enough
      if (!this.stopped.signal.aborted) await this.writeWholes();
    });
  }

  private async writeWholes(): Promise<void> {
    const { fs, dir, clock } = this.options;
    const started = clock.monotonic();
    for (const view of WHOLE_VIEWS) {
      if (!this.dirtyWhole.delete(view)) continue;
      await this.attempt(view, async () =>
        replaceFile(fs, join(dir, view), await this.wholeText(view)),
      );
    }
    this.refreshWhenRetryIsDue();
    const cost = clock.monotonic() - started;
    this.lag = Math.min(MAX_LAG_MS, Math.max(MIN_LAG_MS, cost * LAG_PER_COST));
  }

  /** RETRY_WAIT becomes READY by the clock alone, without a fact: the view is written again when the time has come. */
  private refreshWhenRetryIsDue(): void {
    const { clock, state } = this.options;
    const now = clock.now().getTime();
    const due = nextRetry(state(), now);
    if (due === null || (this.refreshAt !== null && this.refreshAt <= due)) return;
    this.refreshAt = due;
    const wait = Math.min(due - now + 1, LONGEST_WAIT_MS);
    const passed = clock.sleep(wait, this.stopped.signal).then(
      () => this.refreshAt === due,
      () => false,
    );
    void passed.then((isNext) => {
      if (!isNext) return;
      this.refreshAt = null;
      this.touches.whole("state/tasks.json");
    });
  }

  private wholeText(view: WholeView): Promise<string> {
    return this.wholes.text(
      view,
      this.options.state(),
      this.options.clock.now().getTime(),
      this.agents,
    );
  }

  private async attempt(
    path: string,
    write: () => Promise<void>,
    view: EntityView | null = null,
  ): Promise<void> {
    try {
      await write();
      this.failing.delete(path);
    } catch (error) {
      const tries = (this.failing.get(path)?.tries ?? 0) + 1;
      this.failing.set(path, { tries, view });
      void this.retryLater(path, tries);
      if (tries > 1) return;
      this.options.onProblem(`${path} could not be written`, error);
      const message = error instanceof Error ? error.message : String(error);
      void this.options.record({
        kind: "state_save_failed",
        payload: { file: path, error: message },
      });
    }
  }

  private async retryLater(path: string, tries: number): Promise<void> {
    const delay = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (tries - 1));
    await this.options.clock.sleep(delay, this.stopped.signal).catch(() => {});
    if (this.stopped.signal.aborted || !this.failing.has(path)) return;
    this.again(path);
    this.wake();
  }

  /** Marks a view that could not be written. */
  private again(path: string): void {
    const view = this.failing.get(path)?.view;
    if (view) this.dirty.set(path, view);
    const whole = WHOLE_VIEWS.find((name) => name === path);
    if (whole) this.touches.whole(whole);
    if (path === WORKSPACE_FILE) void this.inTurn(() => this.writeWorkspaceFile());
  }
}

function nextRetry(state: WorkspaceState, now: number): number | null {
  let next: number | null = null;
  for (const id of state.index.runnable) {
    const retryAt = state.tasks.get(id)?.retryAt;
    const time = retryAt ? Date.parse(retryAt) : Number.NaN;
    if (time > now && (next === null || time < next)) next = time;
  }
  return next;
}

const WORKSPACE_FILE = "workspace.json";
