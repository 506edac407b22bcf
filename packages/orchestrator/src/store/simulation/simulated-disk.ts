import { dirname, basename } from "node:path";
import type { Random } from "@multiverse/protocol/clock";
import type { FileSystem, OpenFile } from "../file-system.ts";
import { Inode } from "./inode.ts";
import { below } from "./random.ts";

export type Operation =
  | "open"
  | "create"
  | "read"
  | "write"
  | "size"
  | "truncate"
  | "sync"
  | "close"
  | "list"
  | "folder"
  | "rename"
  | "remove"
  | "syncFolder";

/**
 * Decides what happens to an operation: nothing, an error, a short write, or the end of the process before or after it.
 * Asked once per operation, in order.
 */
export type Fate = "fine" | "short" | "die-before" | "die-after" | { readonly error: string };
export type FatePlan = (operation: Operation, path: string) => Fate;

type NameChange = { readonly set: string; readonly inode: Inode } | { readonly drop: string };

/** A disk in memory, with a page cache that a power cut loses and a life that ends with its process. */
export class SimulatedDisk {
  private names = new Map<string, Inode>();
  private durableNames = new Map<string, Inode>();
  /** Changes of names that are not on the disk yet, per folder, in order; a rename is one change. */
  private pending = new Map<string, NameChange[][]>();
  private dead = false;
  operations = 0;
  fate: FatePlan = () => "fine";

  readonly fs: FileSystem = {
    open: (path, mode) =>
      this.step(mode === "create" ? "create" : "open", path, () => this.open(path, mode)),
    readFile: (path) => this.step("read", path, () => Buffer.from(this.need(path).live)),
    writeFile: (path, bytes) =>
      this.step("write", path, (portion) => {
        const inode = new Inode();
        this.change(dirname(path), [{ set: path, inode }]);
        this.put(inode, Buffer.from(bytes), 0, portion);
      }),
    appendFile: (path, text) =>
      this.step("write", path, (portion) => {
        const inode = this.names.get(path) ?? new Inode();
        if (!this.names.has(path)) this.change(dirname(path), [{ set: path, inode }]);
        this.put(inode, Buffer.from(text), inode.live.length, portion);
      }),
    list: (folder) =>
      this.step("list", folder, () =>
        [...this.names.keys()]
          .filter((path) => dirname(path) === folder)
          .map((path) => basename(path))
          .sort(),
      ),
    makeFolder: (folder) => this.step("folder", folder, () => {}),
    rename: (from, to) =>
      this.step("rename", to, () => {
        const inode = this.need(from);
        this.change(dirname(to), [{ set: to, inode }, { drop: from }]);
      }),
    remove: (path) =>
      this.step("remove", path, () => {
        if (this.names.has(path)) this.change(dirname(path), [{ drop: path }]);
      }),
    syncFolder: (folder) =>
      this.step("syncFolder", folder, () => {
        for (const changes of this.pending.get(folder) ?? [])
          for (const change of changes) rename(this.durableNames, change);
        this.pending.delete(folder);
      }),
  };

  /** The disk as the next process finds it. */
  reboot(random: Random, how: "kill" | "power"): SimulatedDisk {
    this.dead = true;
    const next = new SimulatedDisk();
    if (how === "kill") {
      next.names = new Map([...this.names].map(([path, inode]) => [path, new Inode(inode.live)]));
    } else {
      for (const list of this.pending.values()) {
        for (const changes of list.slice(0, below(random, list.length + 1))) {
          for (const change of changes) rename(this.durableNames, change);
        }
      }
      const content = new Map<Inode, Inode>();
      for (const inode of new Set(this.durableNames.values()))
        content.set(inode, new Inode(inode.afterPowerCut(random)));
      next.names = new Map(
        [...this.durableNames].flatMap(([path, inode]) => [[path, content.get(inode) ?? inode]]),
      );
    }
    next.durableNames = new Map(next.names);
    return next;
  }

  contents(): Map<string, Buffer> {
    return new Map([...this.names].map(([path, inode]) => [path, inode.live]));
  }

  /** Puts a file on the disk as if it had always been there. */
  place(path: string, content: Buffer): void {
    const inode = new Inode(content);
    this.names.set(path, inode);
    this.durableNames.set(path, inode);
  }

  private async step<T>(
    operation: Operation,
    path: string,
    run: (portion: number) => T,
  ): Promise<T> {
    if (this.dead) return new Promise<T>(() => {});
    this.operations += 1;
    const fate = this.fate(operation, path);
    if (fate === "die-before") return this.die();
    if (typeof fate === "object") {
      throw Object.assign(new Error(`${fate.error}: simulated, ${operation} ${path}`), {
        code: fate.error,
      });
    }
    const result = run(fate === "short" ? 0.5 : 1);
    if (fate === "die-after") return this.die();
    if (fate === "short" && result === undefined) {
      throw Object.assign(new Error(`ENOSPC: simulated, ${operation} ${path}`), { code: "ENOSPC" });
    }
    return result;
  }

  private die<T>(): Promise<T> {
    this.dead = true;
    return new Promise<T>(() => {});
  }

  get ended(): boolean {
    return this.dead;
  }

  private open(path: string, mode: "read" | "update" | "create"): OpenFile {
    if (mode === "create") {
      if (this.names.has(path))
        throw Object.assign(new Error(`EEXIST: ${path}`), { code: "EEXIST" });
      this.change(dirname(path), [{ set: path, inode: new Inode() }]);
    }
    const inode = this.need(path);
    return {
      write: (bytes, position) =>
        this.step("write", path, (portion) =>
          this.put(inode, Buffer.from(bytes), position, portion),
        ),
      read: (position, length) =>
        this.step("read", path, () =>
          Buffer.from(inode.live.subarray(position, position + length)),
        ),
      size: () => this.step("size", path, () => inode.live.length),
      truncate: (length) => this.step("truncate", path, () => inode.truncate(length)),
      sync: () => this.step("sync", path, () => inode.sync()),
      close: () => this.step("close", path, () => {}),
    };
  }

  private put(inode: Inode, bytes: Buffer, position: number, portion: number): number {
    const written = bytes.subarray(0, Math.floor(bytes.length * portion));
    inode.write(written, position);
    return written.length;
  }

  private change(folder: string, changes: NameChange[]): void {
    for (const change of changes) rename(this.names, change);
    this.pending.set(folder, [...(this.pending.get(folder) ?? []), changes]);
  }

  private need(path: string): Inode {
    const inode = this.names.get(path);
    if (!inode) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    return inode;
  }
}

function rename(names: Map<string, Inode>, change: NameChange): void {
  if ("set" in change) names.set(change.set, change.inode);
  else names.delete(change.drop);
}
