import { join } from "node:path";
import type { Clock } from "@multiverse/protocol/clock";
import type { SnapshotHeader } from "@multiverse/protocol/entity-files";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact } from "@multiverse/protocol/fact";
import type { Committed, CommitQueue } from "./commit-queue.ts";
import { writeDurably } from "./durable-file.ts";
import type { FileSystem } from "./file-system.ts";
import { giveWay } from "./give-way.ts";
import type { Base } from "./recover.ts";
import { encodeSnapshot } from "./snapshot-file.ts";
import {
  findSnapshots,
  snapshotId,
  snapshotPath,
  snapshotToRestore,
  superfluous,
  type SnapshotInfo,
} from "./snapshots.ts";

export type SnapshotReason = SnapshotHeader["reason"];

export interface RestoreOptions {
  readonly by?: string;
  /** Restore even while tasks run; then `stop` must end them first. */
  readonly force?: boolean;
  readonly stop?: () => Promise<void>;
}

/** A snapshot is due after this many facts, or once history since the last one outgrows it, whichever is later. */
const FACTS_BETWEEN = 1_000;

/** Takes snapshots when they are due, keeps a few, and brings a workspace back to one of them. */
export class SnapshotKeeper {
  private facts: number;
  private bytes: number;
  private lastBytes: number;
  /** Facts that say more than "a snapshot was taken". */
  private changes: number;
  private due = FACTS_BETWEEN;
  private running: Promise<unknown> = Promise.resolve();
  private readonly fs: FileSystem;
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly queue: CommitQueue;

  constructor(options: {
    fs: FileSystem;
    dir: string;
    clock: Clock;
    queue: CommitQueue;
    base: Base;
  }) {
    this.fs = options.fs;
    this.folder = join(options.dir, "snapshots");
    this.clock = options.clock;
    this.queue = options.queue;
    this.facts = options.base.factsSince;
    this.bytes = options.base.bytesSince;
    this.lastBytes = options.base.snapshotBytes;
    this.changes = options.base.changesSince;
  }

  /** True when a snapshot is due. */
  count(facts: readonly Fact[], bytes: number): boolean {
    this.facts += facts.length;
    this.bytes += bytes;
    this.changes += facts.filter((fact) => fact.kind !== "snapshot.created").length;
    if (this.facts < this.due || this.bytes < this.lastBytes) return false;
    this.due += FACTS_BETWEEN; // should it fail, not again with the very next fact
    return true;
  }

  /** Whether the newest snapshot already says all there is. */
  get upToDate(): boolean {
    return this.changes === 0;
  }

  create(reason: SnapshotReason, by: string): Promise<SnapshotInfo> {
    const made = this.running.then(() => this.make(reason, by));
    this.running = made.catch(() => {});
    return made;
  }

  async list(): Promise<SnapshotInfo[]> {
    const found = await findSnapshots(this.fs, this.folder);
    return found.flatMap((entry) => {
      if (!entry.header) return [];
      const { id, seq, createdAt, reason, hash } = entry.header;
      return [{ id, seq, createdAt, reason, hash, bytes: entry.bytes }];
    });
  }

  /** History is not cut: the restored state is a fact of its own, after a snapshot of what it replaces. */
  async restore(
    id: string,
    { by = "user", force = false, stop }: RestoreOptions,
  ): Promise<Committed> {
    const { saved } = await snapshotToRestore(this.fs, this.folder, id);
    if (this.queue.point.state.index.running.size > 0) {
      if (!force || !stop) throw tasksRun();
      await stop();
    }
    await this.create("safety", by);
    return this.queue.commit((state) => {
      if (state.index.running.size > 0) throw tasksRun();
      return [{ kind: "snapshot.restored", payload: { snapshotId: id, stateAt: saved } }];
    }, by);
  }

  private async make(reason: SnapshotReason, by: string): Promise<SnapshotInfo> {
    const { state, position } = this.queue.point;
    if (!position) throw new Error("there is no history to take a snapshot of");
    const before = { facts: this.facts, bytes: this.bytes, changes: this.changes };
    const at = this.clock.now();
    const id = await this.freeId(at);
    const header = { id, createdAt: at.toISOString(), reason, history: position };
    const encoded = await encodeSnapshot(header, state, giveWay);
    await writeDurably(this.fs, snapshotPath(this.folder, id), encoded.chunks);
    this.facts -= before.facts;
    this.bytes -= before.bytes;
    this.changes -= before.changes;
    this.lastBytes = encoded.bytes;
    this.due = FACTS_BETWEEN;
    const { hash } = encoded.header;
    await this.queue.commit(
      () => [{ kind: "snapshot.created", payload: { snapshotId: id, hash } }],
      by,
    );
    await this.prune();
    return { id, seq: state.seq, createdAt: header.createdAt, reason, hash, bytes: encoded.bytes };
  }

  private async freeId(at: Date): Promise<string> {
    const taken = new Set(await this.fs.list(this.folder));
    const id = snapshotId(at);
    for (let i = 1; ; i += 1) {
      const name = i === 1 ? id : `${id}-${i}`;
      if (!taken.has(`${name}.json`)) return name;
    }
  }

  private async prune(): Promise<void> {
    for (const name of superfluous(await findSnapshots(this.fs, this.folder))) {
      await this.fs.remove(snapshotPath(this.folder, name));
    }
  }
}

const tasksRun = (): MultiverseError =>
  new MultiverseError("CONFLICT", "Tasks are running, so the workspace cannot be restored now.", {
    hint: "Stop the execution first, or restore with `force`, which stops it for you.",
  });
