import { watch, type FSWatcher } from "node:fs";
import { poolFolders } from "./job-folders.ts";

/** The safety net behind file watching; events bring a job in a few milliseconds. */
const RESCAN_MS = 2_000;

/** Tells when something may have changed in a queue or in one of its pools, also in pools that are made later. */
export class FolderWatch {
  private readonly queue: string;
  private readonly onChange: () => void;
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(queue: string, onChange: () => void) {
    this.queue = queue;
    this.onChange = onChange;
    this.timer = setInterval(onChange, RESCAN_MS);
    this.timer.unref();
  }

  /** To be called before listing, so that what comes in between is seen. */
  async refresh(): Promise<void> {
    this.watchFolder(this.queue);
    for (const folder of await poolFolders(this.queue)) this.watchFolder(folder);
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    for (const watcher of this.watchers.values()) watcher.close();
  }

  private watchFolder(folder: string): void {
    if (this.watchers.has(folder) || this.closed) return;
    const watcher = watch(folder, this.onChange);
    watcher.on("error", () => this.watchers.delete(folder)); // removed folder: the rescan sees to it
    this.watchers.set(folder, watcher);
  }
}
