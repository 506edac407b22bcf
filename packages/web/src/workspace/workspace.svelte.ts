import { loadState } from "@multiverse/protocol/saved-state";
import type { Signal } from "@multiverse/protocol/signal";
import type { ResumePoint, SocketMessage } from "@multiverse/protocol/socket";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import type { WorkspaceApi } from "@multiverse/protocol/http/api";
import {
  openEventStream,
  type EventStream,
  type LinkStatus,
  type SocketLike,
} from "../connection/event-stream.ts";
import { logger } from "../logger.ts";
import { noActivity, noteActivity, type Activity } from "./activity.ts";
import { advance, type Change } from "./advance.ts";
import { createFrameQueue, type FrameQueue, type Schedule } from "./frame-queue.ts";
import { LogLines } from "./log-lines.ts";
import { PlanViewer, type Change as PlanChange, type PlanView } from "./plan-view.ts";
import { touchedTasks } from "./touched.ts";

const log = logger.withComponent("workspace");

export interface WorkspaceOptions {
  readonly id: string;
  readonly api: WorkspaceApi;
  readonly openSocket: (from: ResumePoint) => SocketLike;
  readonly schedule: Schedule;
  readonly random: () => number;
}

/** The one store of the page: the server's state, advanced by the same reducer, at most once a frame. */
export class Workspace {
  readonly id: string;
  readonly api: WorkspaceApi;
  readonly logs = new LogLines();

  state: WorkspaceState = $state.raw(emptyState);
  /** The state as it was, while someone looks back in time. */
  past: WorkspaceState | null = $state.raw(null);
  activity: Activity = $state.raw(noActivity);
  /** Grows whenever log lines came in or went. */
  logVersion = $state(0);
  link: LinkStatus = $state("connecting");
  retryAt: number | null = $state(null);
  loaded = $state(false);
  /** The first load failed; nothing to show yet. */
  problem: unknown = $state.raw(null);
  /** Moves when a retry time has passed, so that statuses follow the clock without a scan every second. */
  #statusClock = $state(Date.now());

  readonly view: WorkspaceState = $derived(this.past ?? this.state);
  readonly #viewer = new PlanViewer();
  #change: PlanChange | null = null;
  readonly plan: PlanView = $derived.by(() =>
    this.#viewer.view(this.view, this.#statusClock, this.#change),
  );

  readonly #options: WorkspaceOptions;
  readonly #changes: FrameQueue<Change>;
  readonly #signals: FrameQueue<Signal>;
  #stream: EventStream | null = null;
  #fetching = false;

  constructor(options: WorkspaceOptions) {
    this.id = options.id;
    this.api = options.api;
    this.#options = options;
    this.#changes = createFrameQueue(options.schedule, (changes) => this.#advance(changes));
    this.#signals = createFrameQueue(options.schedule, (signals) => this.#note(signals));
  }

  /** Fetches the state, then follows it until `close`. */
  async open(): Promise<void> {
    this.problem = null;
    try {
      await this.#fetchState();
    } catch (error) {
      this.problem = error;
      return;
    }
    this.loaded = true;
    this.#stream ??= openEventStream({
      from: () => {
        this.#changes.flush();
        return this.state;
      },
      open: this.#options.openSocket,
      onMessage: (message) => this.receive(message),
      onStatus: (status, retryAt) => {
        log.info(`connection ${status}`, { workspaceId: this.id, seq: this.state.seq });
        this.link = status;
        this.retryAt = retryAt;
      },
      random: this.#options.random,
    });
  }

  receive(message: SocketMessage): void {
    if ("resync" in message) this.#stream?.resync();
    else if ("signal" in message) this.#signal(message);
    else this.#changes.push(message);
  }

  reconnect(): void {
    this.#stream?.retryNow();
  }

  /** Called once a second: statuses that hang on the clock alone are looked at again when one is due. */
  tick(now: number): void {
    const due = this.plan.nextRetryAt;
    if (due !== null && now >= due) this.#statusClock = now;
  }

  clearLog(taskId: string | null): void {
    this.logs.clear(taskId);
    this.logVersion += 1;
  }

  async lookBack(seq: number): Promise<void> {
    if (seq >= this.state.seq) {
      this.past = null;
      return;
    }
    const answer = await this.api.state(seq);
    this.past = loadState(answer.state);
  }

  close(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  #signal(signal: Signal): void {
    if (signal.signal === "task:log") {
      const { taskId, attemptId, stream, line, timestamp } = signal.data;
      this.logs.add({ taskId, attemptId, stream, text: line, at: timestamp });
    }
    this.#signals.push(signal);
  }

  #note(signals: Signal[]): void {
    if (signals.some((s) => s.signal === "task:log")) this.logVersion += 1;
    const rest = signals.filter((s) => s.signal !== "task:log");
    if (rest.length > 0) this.activity = noteActivity(this.activity, rest);
  }

  #advance(changes: Change[]): void {
    const before = this.state;
    const { state, gap } = advance(before, changes);
    const facts = changes.flatMap((change) => ("facts" in change ? change.facts : []));
    const whole = gap || changes.some((change) => "state" in change);
    const touched = whole ? null : touchedTasks(state, facts);
    this.#change = { from: before, to: state, touched };
    this.#statusClock = Date.now();
    this.state = state;
    if (gap) void this.#fetchState().catch(() => this.#stream?.resync());
  }

  async #fetchState(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    try {
      const { state } = await this.api.state();
      this.#statusClock = Date.now();
      if (state.seq >= this.state.seq) this.state = loadState(state);
    } finally {
      this.#fetching = false;
    }
  }
}
