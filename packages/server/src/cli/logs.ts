import type { WorkspaceApi } from "@multiverse/protocol/http/api";
import { requireServer } from "../client.ts";
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
  const api = client.api.inWorkspace(id);
  const print = printer(terminal, api);
  let lines = 0;
  for (const shown of await newestAttempts(api, task)) lines += await print(shown);
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
async function newestAttempts(api: WorkspaceApi, task: string | undefined): Promise<Shown[]> {
  if (task !== undefined) {
    const { attempts } = await api.attempts(task);
    return attempts.slice(-1).map(({ id }) => ({ attemptId: id, label: "" }));
  }
  const { tasks } = await api.tasks();
  return tasks.flatMap(({ id, currentAttempt, outcome }) => {
    const attemptId = currentAttempt ?? outcome?.attemptId;
    return attemptId ? [{ attemptId, label: id }] : [];
  });
}

/** Prints what has come to an attempt's log since the last time; how many lines that were. */
export type PrintNew = (shown: Shown) => Promise<number>;

function printer(terminal: Terminal, api: WorkspaceApi): PrintNew {
  const places = new Map<string, number>();
  return async ({ attemptId, label }) => {
    const prefix = label ? `${paint(terminal, "dim", label)} ` : "";
    for (let printed = 0; ;) {
      const after = places.get(attemptId) ?? 0;
      const part = await api.attemptLog(attemptId, after);
      places.set(attemptId, part.after);
      if (part.text === "") return printed;
      for (const line of part.text.replace(/\n$/, "").split("\n")) {
        terminal.out(`${prefix}${safeText(line, terminal.colours)}\n`);
        printed += 1;
      }
    }
  };
}
