import { join } from "node:path";
import type { ChatMessage } from "@multiverse/protocol/chat-message";
import type { TaskLine } from "@multiverse/protocol/entity-files";
import type { RunResult } from "@multiverse/protocol/run-result";
import { canonicalJson } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "../file-system.ts";
import { nodeText } from "./design-views.ts";
import { attemptText, backlogText, chatLine, taskLine } from "./entity-views.ts";
import { addLines, readLinesOf } from "./line-file.ts";
import { replaceFile } from "./view-file.ts";

/** A view of one thing. */
export interface EntityView {
  readonly kind: "node" | "task" | "attempt" | "backlog" | "session";
  readonly id: string;
}

export function pathOf({ kind, id }: EntityView): string {
  switch (kind) {
    case "node":
      return `design/nodes/${id}.json`;
    case "task":
      return `tasks/${id}.jsonl`;
    case "attempt":
      return `attempts/${id}.json`;
    case "backlog":
      return `backlog/${id}.json`;
    case "session":
      return `chat/${id}.jsonl`;
  }
}

/** Writes the files that show one thing each, from the state and from what only the facts carry. */
export class EntityWriter {
  /** Files of lines whose end is known to be whole, because this process wrote it. */
  private readonly whole = new Set<string>();
  /** Not in the state, which keeps attempts slim and only the end of a conversation. */
  readonly results = new Map<string, RunResult | null>();
  readonly messages = new Map<string, ChatMessage[]>();
  /** Conversations of which `messages` holds everything, so that the file is written anew. */
  readonly rebuilt = new Set<string>();
  private readonly fs: FileSystem;
  private readonly dir: string;

  constructor(fs: FileSystem, dir: string) {
    this.fs = fs;
    this.dir = dir;
  }

  async write(view: EntityView, state: WorkspaceState, now: number): Promise<void> {
    const path = join(this.dir, pathOf(view));
    switch (view.kind) {
      case "node":
        return this.replaceOrRemove(path, state.nodes.get(view.id), (node) =>
          nodeText(state, node),
        );
      case "backlog":
        return this.replaceOrRemove(path, state.backlog.get(view.id), backlogText);
      case "attempt":
        return this.writeAttempt(path, view.id, state);
      case "task":
        return this.writeTask(path, view.id, state, now);
      case "session":
        return this.writeSession(path, view.id);
    }
  }

  private async replaceOrRemove<T>(
    path: string,
    thing: T | undefined,
    text: (thing: T) => string,
  ): Promise<void> {
    if (thing === undefined) await this.fs.remove(path);
    else await replaceFile(this.fs, path, text(thing));
  }

  private async writeAttempt(path: string, id: string, state: WorkspaceState): Promise<void> {
    const attempt = state.attempts.get(id);
    if (!attempt) return;
    await replaceFile(this.fs, path, attemptText(attempt, this.results.get(id) ?? null));
    if (attempt.finishedAt) this.results.delete(id);
  }

  private async writeTask(
    path: string,
    id: string,
    state: WorkspaceState,
    now: number,
  ): Promise<void> {
    const task = state.tasks.get(id);
    if (!task) {
      this.whole.delete(path);
      return this.fs.remove(path);
    }
    const line = taskLine(state, task, now);
    await this.addTo(path, (known) => (sameTask(known.at(-1), line) ? [] : [JSON.stringify(line)]));
  }

  private async writeSession(path: string, id: string): Promise<void> {
    const messages = [...(this.messages.get(id) ?? [])]; // more may come while these are written
    const text = (message: ChatMessage): string => JSON.stringify(chatLine(message));
    if (this.rebuilt.has(id)) {
      await replaceFile(this.fs, path, messages.map((message) => `${text(message)}\n`).join(""));
      this.rebuilt.delete(id);
      this.whole.add(path);
    } else {
      await this.addTo(path, (known) => {
        const ids = new Set(known.map((line) => line["id"]));
        return messages.filter((message) => !ids.has(message.id)).map(text);
      });
    }
    const rest = this.messages.get(id)?.slice(messages.length) ?? [];
    if (rest.length > 0) this.messages.set(id, rest);
    else this.messages.delete(id);
  }

  /** Appends without looking where the file's end is known, and carefully where it is not. */
  private async addTo(
    path: string,
    added: (known: Record<string, unknown>[]) => string[],
  ): Promise<void> {
    const trusted = this.whole.delete(path);
    const known = trusted
      ? { texts: [], values: [], torn: false }
      : await readLinesOf(this.fs, path);
    await addLines(this.fs, path, known, added(known.values));
    this.whole.add(path);
  }
}

const WAITING = new Set<unknown>(["PENDING", "READY", "BLOCKED", "RETRY_WAIT"]);

/** Whether a line says the same. A waiting task's status follows from others and the clock, so it does not count. */
function sameTask(line: Record<string, unknown> | undefined, now: TaskLine): boolean {
  if (!line) return false;
  const status =
    WAITING.has(line["status"]) && WAITING.has(now.status) ? now.status : line["status"];
  return canonicalJson({ ...line, status }) === canonicalJson(now);
}
