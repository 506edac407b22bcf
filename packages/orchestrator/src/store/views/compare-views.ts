import { join } from "node:path";
import type { Clock } from "@multiverse/protocol/clock";
import { AttemptFile } from "@multiverse/protocol/entity-files";
import { idProblem } from "@multiverse/protocol/id";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { FileSystem } from "../file-system.ts";
import { readFromHistory } from "./from-history.ts";
import { nodeText } from "./design-views.ts";
import type { EntityWriter } from "./entity-writer.ts";
import { backlogText } from "./entity-views.ts";
import { readLinesOf } from "./line-file.ts";
import type { Touch } from "./touched.ts";
import { isReadable, keepAside, readView } from "./view-file.ts";
import { WHOLE_VIEWS, type WholeView } from "./whole-views.ts";

export interface Comparison {
  readonly fs: FileSystem;
  readonly dir: string;
  readonly state: () => WorkspaceState;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly touch: Touch;
  readonly entities: EntityWriter;
  readonly onProblem: (message: string, error: unknown) => void;
  /** Keeps the writer still meanwhile. */
  readonly inTurn: (step: () => Promise<void>) => Promise<void>;
  readonly wholeText: (view: WholeView) => Promise<string>;
}

/** Compares the files with the state, one after the other, and touches what differs. */
export async function compareViews(on: Comparison): Promise<void> {
  for (const view of WHOLE_VIEWS) {
    if (await differs(on, view, await on.wholeText(view))) on.touch.whole(view);
  }
  for (const node of on.state().nodes.values()) {
    if (on.signal.aborted) return;
    if (await differs(on, `design/nodes/${node.id}.json`, nodeText(on.state(), node)))
      on.touch.node(node.id);
  }
  for (const item of on.state().backlog.values()) {
    if (await differs(on, `backlog/${item.id}.json`, backlogText(item))) on.touch.backlog(item.id);
  }
  // Writing a task's line compares it first, so that touching costs nothing where nothing changed.
  for (const id of on.state().tasks.keys()) on.touch.task(id);
  await compareWithHistory(on);
}

async function differs(on: Comparison, file: string, wanted: string): Promise<boolean> {
  const path = join(on.dir, file);
  const text = await readView(on.fs, path);
  if (text === wanted) return false;
  if (text === undefined || (text && !isReadable(text))) {
    await keepAside(on.fs, path, on.clock.now()).then(
      (aside) => on.onProblem(`${file} could not be read and was kept as ${aside}`, null),
      () => {},
    );
  }
  return true;
}

/** What may stand in a folder, by the id in the name; null: files are never removed from it. */
const FOLDERS: readonly {
  readonly path: string;
  readonly ending: string;
  readonly has: ((state: WorkspaceState, id: string) => boolean) | null;
}[] = [
  { path: "design/nodes", ending: ".json", has: (state, id) => state.nodes.has(id) },
  { path: "backlog", ending: ".json", has: (state, id) => state.backlog.has(id) },
  { path: "tasks", ending: ".jsonl", has: (state, id) => state.tasks.has(id) },
  { path: "attempts", ending: ".json", has: null },
  { path: "chat", ending: ".jsonl", has: null },
  { path: "design", ending: ".json", has: null },
  { path: "state", ending: ".json", has: null },
];

/** Removes files of things that are gone, and drafts that a crash left. */
export async function sweepViews(
  fs: FileSystem,
  dir: string,
  state: () => WorkspaceState,
  signal: AbortSignal,
): Promise<void> {
  for (const { path, ending, has } of FOLDERS) {
    for (const name of await fs.list(join(dir, path))) {
      if (signal.aborted) return;
      const id = name.endsWith(ending) ? name.slice(0, -ending.length) : "";
      const gone = has !== null && idProblem(id) === undefined && !has(state(), id);
      if (gone || name.endsWith(".tmp")) await fs.remove(join(dir, path, name));
    }
  }
}

/** Results and older messages are not in the state; where their files lack them, they come from history. */
async function compareWithHistory(on: Comparison): Promise<void> {
  const attempts = new Set<string>();
  for (const attempt of on.state().attempts.values()) {
    if (on.signal.aborted) return;
    const text = await readView(on.fs, join(on.dir, `attempts/${attempt.id}.json`));
    const file =
      text && isReadable(text) ? AttemptFile.safeParse(JSON.parse(text)).data : undefined;
    if (file?.status !== attempt.status) attempts.add(attempt.id);
  }
  const sessions = new Set<string>();
  for (const session of on.state().sessions.values()) {
    const { values, torn } = await readLinesOf(on.fs, join(on.dir, `chat/${session.id}.jsonl`));
    const complete =
      values.length >= session.messageCount &&
      values.at(-1)?.["id"] === session.messages.at(-1)?.id;
    if (torn || !complete) sessions.add(session.id);
  }
  if (on.signal.aborted || attempts.size + sessions.size === 0) return;
  await on.inTurn(() => readFromHistory(on.fs, on.dir, { attempts, sessions }, on.entities));
  for (const id of attempts) on.touch.attempt(id);
  for (const id of sessions) on.touch.session(id);
}
