import { AttemptList, AttemptLog, TaskList } from "@multiverse/protocol/http/responses";
import { requireServer, type Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { followLogs } from "./follow-logs.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";
import { paint, safeText, type Terminal } from "./terminal.ts";

export interface LogsFlags extends WorkspaceFlags {
  readonly follow?: boolean;
}

/** `multiverse logs [task]`: what workers printed; with -f, what they print from now on as well. */
export async function logs(
  context: CliContext,
  task: string | undefined,
  flags: LogsFlags,
): Promise<number> {
  const { terminal } = context;
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  const path = `/workspaces/${id}`;
  const print = printer(terminal, client, path);
  let lines = 0;
  for (const shown of await newestAttempts(client, path, task)) lines += await print(shown);
  if (flags.follow) return followLogs(context, client, id, task, print);
  if (lines === 0) terminal.err("nothing was printed yet\n");
  return 0;
}

export interface Shown {
  readonly attemptId: string;
  /** Said before every line where several tasks are shown. */
  readonly label: string;
}

/** The newest attempt of the task that was named, or of every task. */
async function newestAttempts(
  client: Client,
  path: string,
  task: string | undefined,
): Promise<Shown[]> {
  if (task !== undefined) {
    const named = `${path}/tasks/${encodeURIComponent(task)}/attempts`;
    const { attempts } = await client.get(named, AttemptList);
    return attempts.slice(-1).map(({ id }) => ({ attemptId: id, label: "" }));
  }
  const { tasks } = await client.get(`${path}/tasks`, TaskList);
  return tasks.flatMap(({ id, currentAttempt, outcome }) => {
    const attemptId = currentAttempt ?? outcome?.attemptId;
    return attemptId ? [{ attemptId, label: id }] : [];
  });
}

/** Prints what has come to an attempt's log since the last time; how many lines that were. */
export type PrintNew = (shown: Shown) => Promise<number>;

function printer(terminal: Terminal, client: Client, path: string): PrintNew {
  const places = new Map<string, number>();
  return async ({ attemptId, label }) => {
    const prefix = label ? `${paint(terminal, "dim", label)} ` : "";
    for (let printed = 0; ;) {
      const after = places.get(attemptId) ?? 0;
      const part = await client.get(`${path}/attempts/${attemptId}/log?after=${after}`, AttemptLog);
      places.set(attemptId, part.after);
      if (part.text === "") return printed;
      for (const line of part.text.replace(/\n$/, "").split("\n")) {
        terminal.out(`${prefix}${safeText(line, terminal.colours)}\n`);
        printed += 1;
      }
    }
  };
}
