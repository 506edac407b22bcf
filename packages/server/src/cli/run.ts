import { resolve } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import type { BacklogItem } from "@multiverse/protocol/backlog";
import {
  ChatSessionView,
  Done,
  MessageAccepted,
  WorkspaceSummary,
} from "@multiverse/protocol/http/responses";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { followConditions, type ConditionsFollower } from "./follow-conditions.ts";
import { createLiveView, type LiveView } from "./live-view.ts";
import { safeText } from "./terminal.ts";
import { watchWorkspace } from "./watch-workspace.ts";
import { withServer } from "./with-server.ts";

export interface RunFlags {
  readonly project: string;
  readonly untilIdle?: boolean;
  readonly json?: boolean;
  readonly demo?: boolean;
}

/** `multiverse run "…"`: the whole path in a terminal. 0 if every task of the plan succeeded. */
export const run = (context: CliContext, sentence: string, flags: RunFlags): Promise<number> =>
  withServer(context, flags, async (client) => {
    const folder = resolve(context.cwd, flags.project);
    const { id } = await client.send("POST", "/workspaces", { path: folder }, WorkspaceSummary);
    const session = await client.send("POST", `/workspaces/${id}/chat`, {}, ChatSessionView);
    const path = `/workspaces/${id}/chat/${session.id}/messages`;
    const sent = await client.send("POST", path, { text: sentence }, MessageAccepted);
    const conditions = followConditions(client, id);
    const view = createLiveView(
      context.terminal,
      flags.json === true,
      () => systemClock.now().getTime(),
      () => conditions.current,
    );
    return followToEnd({
      context,
      client,
      workspaceId: id,
      sessionId: session.id,
      sent: sent.messageId,
      view,
      conditions,
      flags,
    });
  });

interface Following {
  readonly context: CliContext;
  readonly client: Client;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly sent: string;
  readonly view: LiveView;
  readonly conditions: ConditionsFollower;
  readonly flags: RunFlags;
}

async function followToEnd(run: Following): Promise<number> {
  const asked = new Set<string>();
  let hasRun = false;
  let finish: (code: number) => void = () => {};
  const finished = new Promise<number>((resolve) => (finish = resolve));
  const watching = watchWorkspace(run.client, run.workspaceId, {
    state(state) {
      run.conditions.hear(state);
      run.view.show(state);
      for (const item of openQuestions(state)) if (!asked.has(item.id)) void ask(run, item, asked);
      hasRun ||= state.execution.status === "RUNNING";
      const isAnswering = asked.size > 0 && run.context.ask !== null;
      const code = endOf(state, run, { isAnswering, hasRun });
      if (code !== null) finish(code);
    },
    signal() {},
  });
  run.context.onStop(() => finish(130));
  const code = await Promise.race([finished, watching.gone.then(() => 1)]);
  watching.stop();
  run.view.end();
  return code;
}

/** The exit code once there is nothing left to wait for; null before that. */
function endOf(
  state: WorkspaceState,
  run: Following,
  { isAnswering, hasRun }: { isAnswering: boolean; hasRun: boolean },
): number | null {
  const messages = state.sessions.get(run.sessionId)?.messages ?? [];
  const answer = messages.findLast((message) => message.role === "assistant");
  if (!answer) return null; // still planning
  const now = Date.now();
  const statuses = [...state.tasks.values()].map((task) => statusOf(state, task, now));
  const isBusy = statuses.some(
    (status) =>
      status === "RUNNING" ||
      status === "READY" ||
      status === "RETRY_WAIT" ||
      (status === "PENDING" && !hasRun), // planned, and about to start by itself
  );
  const isWaiting = state.execution.status === "PAUSED" || openQuestions(state).length > 0;
  if (isBusy || (isWaiting && (isAnswering || run.flags.untilIdle !== true))) return null;
  if (statuses.length === 0) run.view.say(`${safeText(answer.content, false)}\n`);
  return statuses.length > 0 && statuses.every((status) => status === "SUCCEEDED") ? 0 : 1;
}

const openQuestions = (state: WorkspaceState): BacklogItem[] =>
  [...state.backlog.values()].filter(
    (item) => item.type === "QUESTION" && item.resolvedAt === null,
  );

/** Shows a question once; where someone sits at the terminal, their line is the answer. */
async function ask(run: Following, item: BacklogItem, asked: Set<string>): Promise<void> {
  asked.add(item.id);
  const options = Array.isArray(item.metadata["options"])
    ? item.metadata["options"].map(String)
    : [];
  const text = [`? ${item.title}`, ...options.map((option, index) => `  ${index + 1}. ${option}`)];
  run.view.say(`${safeText(text.join("\n"), false)}\n`);
  if (run.context.ask === null) {
    run.view.say(`  answer: multiverse answer ${item.id} "…"\n`);
    return;
  }
  const typed = (await run.context.ask("> ")).trim();
  const resolution = options[Number(typed) - 1] ?? typed;
  if (resolution === "") return;
  const path = `/workspaces/${run.workspaceId}/backlog/${item.id}/resolve`;
  await run.client
    .send("POST", path, { resolution, choice: "answer" }, Done)
    .catch(() => run.view.say("it was answered already\n"));
}
