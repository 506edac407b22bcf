import type { Clock } from "@multiverse/protocol/clock";
import type { Fact, NewFact } from "@multiverse/protocol/fact";

/** How many lost actions are told of; a full disk fails every request, and each would say the same. */
const LIMIT = 20;
const PROBE_MS = 1_000;

/**
 * Actions that could not be written are recorded as `history_failed` as soon as there is room: with the next commit, or
 * by a probe every second, whose success also tells everyone that the disk works again.
 */
export class UnwrittenActions {
  private waiting: { readonly actionId: string; readonly error: string }[] = [];
  private recording = false;
  private probing = false;
  private readonly clock: Clock;
  private readonly signal: AbortSignal;
  private readonly write: (facts: readonly NewFact[]) => Promise<unknown>;

  constructor(options: {
    clock: Clock;
    signal: AbortSignal;
    write: (facts: readonly NewFact[]) => Promise<unknown>;
  }) {
    this.clock = options.clock;
    this.signal = options.signal;
    this.write = options.write;
  }

  get pending(): boolean {
    return this.waiting.length > 0;
  }

  note(facts: readonly Fact[], error: Error): void {
    const lost = facts.filter((fact) => fact.kind !== "history_failed");
    this.waiting.push(...lost.map((fact) => ({ actionId: fact.id, error: error.message })));
    this.waiting.length = Math.min(this.waiting.length, LIMIT);
    if (this.pending) void this.probe();
  }

  /** Puts the record in front of whatever is committed next. */
  record(): void {
    if (!this.pending || this.recording) return;
    const told = this.waiting;
    this.recording = true;
    this.write(told.map((payload) => ({ kind: "history_failed", payload })))
      .then(
        () => (this.waiting = this.waiting.filter((entry) => !told.includes(entry))),
        () => {},
      )
      .finally(() => (this.recording = false));
  }

  private async probe(): Promise<void> {
    if (this.probing) return;
    this.probing = true;
    while (this.pending && !this.signal.aborted) {
      await this.clock.sleep(PROBE_MS, this.signal).catch(() => {});
      if (!this.signal.aborted) this.record();
    }
    this.probing = false;
  }
}
