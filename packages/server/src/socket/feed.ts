import type { Fact } from "@multiverse/protocol/fact";
import { factToWire } from "@multiverse/protocol/fact-wire";
import type { Signal } from "@multiverse/protocol/signal";
import type { ResumePoint } from "@multiverse/protocol/socket";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { factsMessage, pack, stateMessage } from "./pieces.ts";

/** What a feed needs of an open workspace. */
export interface FactSource {
  readonly state: WorkspaceState;
  subscribe(listener: (facts: readonly Fact[], state: WorkspaceState) => void): () => void;
  /** The facts after `seq`; null if that is too far back. */
  factsSince(seq: number): Promise<readonly Fact[] | null>;
}

/** One message for a socket, in pieces; `seq` is where its reader stands afterwards. */
export interface Portion {
  readonly seq: number;
  readonly pieces: Iterable<Buffer>;
}

/**
 * The live stream of one workspace. Facts are not queued per reader: each asks for what follows its own seq, so that a
 * slow one costs nothing and simply gets more at a time.
 */
export interface Feed {
  /** Whether a client that comes back can go on from there: history still has that fact. */
  continues(from: ResumePoint): Promise<boolean>;
  /** What comes after `seq`, whole commits only; null when there is nothing new. */
  after(seq: number): Promise<Portion | null>;
  /** The whole state, for a reader that starts or is too far behind. */
  state(): Portion;
  signal(signal: Signal): void;
  listen(listener: FeedListener): () => void;
  close(): void;
}

export interface FeedListener {
  facts(): void;
  signal(bytes: Buffer): void;
}

/** How much of the recent past is kept encoded, and how much of it goes into one message. */
const KEPT_BYTES = 2 * 1_048_576;
/** A commit of more facts is not encoded for those who follow: the state says the same in less time. */
const KEPT_FACTS = 2_000;
const PORTION_BYTES = 256 * 1_024;

/** One commit, encoded once and shared by all readers. */
interface Commit {
  /** The seq before its first fact. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
}

export function createFeed(source: FactSource): Feed {
  const listeners = new Set<FeedListener>();
  const recent: Commit[] = [];
  let recentBytes = 0;

  const unsubscribe = source.subscribe((facts) => {
    for (const commit of facts.length > KEPT_FACTS ? [] : commitsOf(facts)) {
      recent.push(commit);
      recentBytes += commit.bytes.length;
    }
    while (recentBytes > KEPT_BYTES) recentBytes -= recent.shift()?.bytes.length ?? 0;
    for (const listener of listeners) listener.facts();
  });

  const state = (): Portion => {
    const { state: now } = source;
    return { seq: now.seq, pieces: pack(stateMessage(now)) };
  };

  return {
    async continues({ seq, factId }) {
      if (factId === null) return true;
      if (seq === source.state.seq) return factId === source.state.factId;
      const facts = await source.factsSince(seq - 1);
      return facts?.[0]?.id === factId;
    },
    async after(seq) {
      if (seq === source.state.seq) return null;
      if (seq > source.state.seq || seq < 0) return state();
      const start = recent.findIndex((commit) => commit.from === seq);
      if (start !== -1) return portionOf(recent.slice(start));
      const facts = await source.factsSince(seq);
      return facts === null || facts.length === 0 ? state() : portionOf(commitsOf(facts));
    },
    state,
    signal(signal) {
      if (listeners.size === 0) return;
      const bytes = Buffer.from(JSON.stringify(signal));
      for (const listener of listeners) listener.signal(bytes);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: unsubscribe,
  };
}

/** The facts of one commit belong together: a reader never sees half of them. */
function* commitsOf(facts: readonly Fact[]): Generator<Commit> {
  let start = 0;
  for (let end = 1; end <= facts.length; end++) {
    const first = facts[start];
    if (first === undefined || facts[end]?.tx === first.tx) continue;
    const commit = facts.slice(start, end);
    const json = commit.map((fact) => JSON.stringify(factToWire(fact))).join(",");
    yield { from: first.seq - 1, to: first.seq - 1 + commit.length, bytes: Buffer.from(json) };
    start = end;
  }
}

/** As many commits as fit, at least one. */
function portionOf(commits: Iterable<Commit>): Portion {
  const taken: Commit[] = [];
  let size = 0;
  for (const commit of commits) {
    if (taken.length > 0 && size + commit.bytes.length > PORTION_BYTES) break;
    taken.push(commit);
    size += commit.bytes.length;
  }
  const seq = taken.at(-1)?.to ?? 0;
  return {
    seq,
    pieces: pack(
      factsMessage(
        seq,
        taken.map((commit) => commit.bytes),
      ),
    ),
  };
}
