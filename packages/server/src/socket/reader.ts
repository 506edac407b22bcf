import { giveWay } from "@multiverse/orchestrator/store/give-way";
import type { ResumePoint } from "@multiverse/protocol/socket";
import type { Feed, FeedListener, Portion } from "./feed.ts";

/** The part of a WebSocket a reader writes to. `send` calls back once the bytes have left for the kernel. */
export interface Sink {
  send(
    bytes: Buffer,
    options: { binary: false; fin: boolean },
    done: (error?: Error | null) => void,
  ): void;
  /** Collects small messages into one write. */
  cork(): void;
  uncork(): void;
}

/**
 * Brings one client up to date, over and over: state or missing facts first, then what happens. At most one piece of a
 * message is under way; signals wait in a small buffer and are dropped, with a word about it, when the client does not
 * keep up. So a client that does not read at all costs a piece and the signal buffer, and nobody else waits for it.
 */
export interface Reader {
  /** Settles when the reader has stopped; rejects when the client is gone or what it asked for cannot be read. */
  readonly ended: Promise<void>;
  stop(): void;
  /** Bytes this client holds on to right now. */
  readonly heldBytes: number;
  /** Since when (ms of `now`) nothing has moved although there was something to send; null when it keeps up. */
  readonly stuckSince: number | null;
}

const SIGNAL_BYTES = 256 * 1_024;
const RESYNC = Buffer.from(
  JSON.stringify({ resync: true, reason: "too slow: some live events were left out" }),
);

export function createReader(
  feed: Feed,
  sink: Sink,
  from: ResumePoint | null,
  now: () => number,
): Reader {
  const inbox = signalInbox();
  const out = outgoing(sink, now);
  let stopped = false;

  async function pump(): Promise<void> {
    let seq = from && (await feed.continues(from)) ? from.seq : null;
    while (!stopped) {
      inbox.news = false;
      const portion = seq === null ? feed.state() : await feed.after(seq);
      if (portion) {
        await out.whole(portion.pieces);
        seq = portion.seq;
      } else if (inbox.takeDropped()) {
        await out.whole([RESYNC]);
      } else {
        const batch = inbox.take();
        if (batch.length > 0) await out.batch(batch);
        else await inbox.wait();
      }
    }
  }

  const unlisten = feed.listen(inbox.listener);
  return {
    ended: pump().finally(unlisten),
    stop() {
      stopped = true;
      inbox.listener.facts();
    },
    get heldBytes() {
      return out.bytes() + inbox.bytes();
    },
    get stuckSince() {
      return out.since();
    },
  };
}

/** What has come in for a client since the last look. */
function signalInbox() {
  let signals: Buffer[] = [];
  let bytes = 0;
  let dropped = false;
  let wake: (() => void) | null = null;
  const nudge = (): void => {
    inbox.news = true;
    wake?.();
  };
  const listener: FeedListener = {
    facts: nudge,
    signal(signal) {
      if (bytes + signal.length > SIGNAL_BYTES) {
        signals = [];
        bytes = 0;
        dropped = true;
      } else if (!dropped) {
        signals.push(signal);
        bytes += signal.length;
      }
      nudge();
    },
  };
  const inbox = {
    listener,
    /** Set by whatever comes in; cleared by the one who is about to look. */
    news: false,
    bytes: () => bytes,
    takeDropped(): boolean {
      const was = dropped;
      dropped = false;
      return was;
    },
    take(): Buffer[] {
      const batch = signals;
      signals = [];
      bytes = 0;
      return batch;
    },
    async wait(): Promise<void> {
      if (inbox.news) return;
      await new Promise<void>((resolve) => (wake = resolve));
      wake = null;
    },
  };
  return inbox;
}

/** What is on its way to a client. */
function outgoing(sink: Sink, now: () => number) {
  let bytes = 0;
  let since: number | null = null;

  const write = (piece: Buffer, fin: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      bytes += piece.length;
      since ??= now();
      sink.send(piece, { binary: false, fin }, (error) => {
        bytes -= piece.length;
        since = bytes === 0 ? null : now();
        if (error) reject(error);
        else resolve();
      });
    });

  return {
    bytes: () => bytes,
    since: () => since,
    async whole(pieces: Portion["pieces"]): Promise<void> {
      let held: Buffer | null = null;
      for (const piece of pieces) {
        if (held) {
          await write(held, false);
          await giveWay(); // what the kernel takes at once is no pause for the others
        }
        held = piece;
      }
      if (held) await write(held, true);
    },
    async batch(messages: readonly Buffer[]): Promise<void> {
      sink.cork();
      const written = messages.map((message) => write(message, true));
      sink.uncork();
      await Promise.all(written);
    },
  };
}
