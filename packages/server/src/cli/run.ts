import { resolve } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { followConditions } from "./follow-conditions.ts";
import { createNews, openQuestions } from "./live/news.ts";
import { followPlanning } from "./live/planning.ts";
import { createTalk } from "./live/take-line.ts";
import { createLiveView, type LiveView } from "./live/view.ts";
import { endOf, isLeftOver } from "./run-end.ts";
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
  withServer(context, flags, async (client, place) => {
    const folder = resolve(context.cwd, flags.project);
    const { id } = await client.api.openWorkspace(folder);
    const session = await client.api.inWorkspace(id).newSession();
    const talk = { client, workspaceId: id, sessionId: session.id, sentence };
    return follow({ context, flags, ...talk, ...place });
  });

interface Following {
  readonly context: CliContext;
  readonly client: Client;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly sentence: string;
  readonly flags: RunFlags;
  /** Whether the server is this process's own, and goes with it. */
  readonly isOwn: boolean;
  readonly isDemo: boolean;
}

/** After Ctrl-C. */
const STOPPED = 130;
const now = (): number => systemClock.now().getTime();

/** Shows what happens until there is nothing left to wait for; what is typed meanwhile is an answer or a message. */
async function follow(run: Following): Promise<number> {
  const { context, sessionId } = run;
  const form = run.flags.json ? "json" : context.terminal.isTerminal ? "picture" : "lines";
  const view = createLiveView(context.terminal, form, now);
  const canType = view.typing !== null && context.prompt !== null;
  const news = createNews(sessionId);
  const conditions = followConditions(run.client, run.workspaceId);
  const planning = followPlanning(sessionId, now);
  const { promise: finished, resolve: finish, reject: fail } = promised<number>();
  const ask = asker(run, fail);
  let state: WorkspaceState | null = null;
  const watching = watchWorkspace(run.client, run.workspaceId, {
    state(next) {
      state = next;
      conditions.hear(next);
      planning.state(next);
      ask(next);
      const question = openQuestions(next)[0] ?? null;
      const scene = { state: next, conditions, planningSince: planning.since, question };
      view.show(news(next, now()), scene);
      const forAnswers = canType || run.flags.untilIdle !== true;
      const waits = { forAnswers, forDefaults: run.isDemo, planningFailed: planning.failed };
      const code = endOf(next, sessionId, waits, now());
      if (code !== null) finish(code);
    },
    signal: (signal) => planning.signal(signal),
  });
  const stop = stopper(run, view, finish);
  openPrompt(run, view, () => state, stop);
  context.onStop(stop);
  let code = 1;
  try {
    code = await Promise.race([finished, watching.gone.then((why) => lost(view, why))]);
  } finally {
    watching.stop();
    view.end(code);
  }
  return code;
}

/**
 * Asks for the work once someone listens, so that nothing of the answer is missed; and, when the plan is made, for going
 * on where an earlier run was stopped: whoever says `run` wants it to.
 */
function asker(run: Following, fail: (error: unknown) => void): (state: WorkspaceState) => void {
  const workspace = run.client.api.inWorkspace(run.workspaceId);
  let asked = false;
  let resumed = false;
  return (state) => {
    if (!asked) {
      asked = true;
      workspace.sendMessage(run.sessionId, run.sentence).catch(fail);
    } else if (!resumed && isLeftOver(state, run.sessionId)) {
      resumed = true;
      workspace.setExecution("resume").catch(fail);
    }
  };
}

function promised<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

function lost(view: LiveView, why: string): number {
  view.say(`lost the server: ${why}\n`);
  return 1;
}

/** The first Ctrl-C ends the watching, and with a server of its own the work; the second does not wait for that. */
function stopper(run: Following, view: LiveView, finish: (code: number) => void): () => void {
  let stops = 0;
  return () => {
    stops += 1;
    if (stops > 1) return run.context.exit(STOPPED);
    view.say(
      run.isOwn
        ? "stopping the tasks… (Ctrl-C again leaves at once)\n"
        : `the server goes on with it: ${run.client.url}\n`,
    );
    finish(STOPPED);
  };
}

function openPrompt(
  run: Following,
  view: LiveView,
  stateNow: () => WorkspaceState | null,
  stop: () => void,
): void {
  const { typing } = view;
  if (!typing || !run.context.prompt) return;
  const talk = createTalk(run);
  const prompt = run.context.prompt({
    onLine(line) {
      typing.typed(line);
      const state = stateNow();
      void talk(state ? openQuestions(state) : [], line).then((problem) => {
        if (problem !== null) view.say(`${problem}\n`);
      });
    },
    onInterrupt: stop,
  });
  typing.attach(prompt);
}
