import { setTimeout as sleep } from "node:timers/promises";
import { AttemptList, AttemptLog, TaskList } from "@multiverse/protocol/http/responses";
import { requireServer, type Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";
import { paint, safeText } from "./terminal.ts";

const LOOK_MS = 300;

export interface LogsFlags extends WorkspaceFlags {
  readonly follow?: boolean;
}

/** `multiverse logs [task]`: what workers printed; with -f, what they print from now on as well. */
export async function logs(
  context: CliContext,
  task: string | undefined,
  flags: LogsFlags,
): Promise<number> {
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  const path = `/workspaces/${id}`;
  const places = new Map<string, number>();
  const stop = new AbortController();
  context.onStop(() => stop.abort());
  for (;;) {
    const attempts = await attemptsOf(client, path, task);
    for (const attempt of attempts) await printNew(context, client, path, attempt, places);
    if (!flags.follow || stop.signal.aborted) return 0;
    await sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => {});
  }
}

interface Shown {
  readonly id: string;
  readonly label: string;
}

/** The newest attempt of the task that was named, or of every task that runs. */
async function attemptsOf(
  client: Client,
  path: string,
  task: string | undefined,
): Promise<Shown[]> {
  if (task !== undefined) {
    const found = await client.get(
      `${path}/tasks/${encodeURIComponent(task)}/attempts`,
      AttemptList,
    );
    return found.attempts.slice(-1).map(({ id }) => ({ id, label: "" }));
  }
  const { tasks } = await client.get(`${path}/tasks`, TaskList);
  return tasks.flatMap(({ id, currentAttempt, outcome }) => {
    const attempt = currentAttempt ?? outcome?.attemptId;
    return attempt ? [{ id: attempt, label: id }] : [];
  });
}

async function printNew(
  { terminal }: CliContext,
  client: Client,
  path: string,
  { id, label }: Shown,
  places: Map<string, number>,
): Promise<void> {
  for (;;) {
    const after = places.get(id) ?? 0;
    const part = await client.get(`${path}/attempts/${id}/log?after=${after}`, AttemptLog);
    places.set(id, part.after);
    if (part.text === "") return;
    const prefix = label ? `${paint(terminal, "dim", label)} ` : "";
    for (const line of part.text.replace(/\n$/, "").split("\n"))
      terminal.out(`${prefix}${safeText(line, terminal.colours)}\n`);
  }
}
