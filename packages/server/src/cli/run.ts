import { resolve } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { followConditions } from "./follow-conditions.ts";
import { createNews, openQuestions } from "./live/news.ts";
import { createTalk } from "./live/take-line.ts";
import { createLiveView, type LiveView } from "./live/view.ts";
import { endOf, isPlanning } from "./run-end.ts";
import { watchWorkspace } from "./watch-workspace.ts";
import { withServer } from "./with-server.ts";

export interface RunFlags {
  readonly project: string;
  readonly untilIdle?: boolean;
  readonly json?: boolean;
  readonly demo?: boolean;
}

/** `multiverse run "…"`: the whole path in a terminal. 0 if every task of the plan succeeded. */
export async function run(context: CliContext, sentence: string, flags: RunFlags): Promise<number> {
  if (!sentence.trim())
    throw new MultiverseError("INVALID_INPUT", "There is nothing to plan.", {
      hint: 'Say what should be done, such as `multiverse run "add a README"`.',
    });
  return withServer(context, flags, async (client, place) => {
    const folder = resolve(context.cwd, flags.project);
    const { id } = await client.api.openWorkspace(folder);
    const workspace = client.api.inWorkspace(id);
    const session = await workspace.newSession();
    await workspace.sendMessage(session.id, sentence);
    return follow({ context, client, workspaceId: id, sessionId: session.id, flags, ...place });
  });
}

interface Following {
  readonly context: CliContext;
  readonly client: Client;
  readonly workspaceId: string;
  readonly sessionId: string;
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
  let finish: (code: number) => void = () => {};
  const finished = new Promise<number>((resolve) => (finish = resolve));
  let state: WorkspaceState | null = null;
  let planningSince: number | null = null;
  const watching = watchWorkspace(run.client, run.workspaceId, {
    state(next) {
      state = next;
      conditions.hear(next);
      planningSince = isPlanning(next, sessionId) ? (planningSince ?? now()) : null;
      const question = openQuestions(next)[0] ?? null;
      view.show(news(next, now()), { state: next, conditions, planningSince, question });
      const forAnswers = canType || run.flags.untilIdle !== true;
      const code = endOf(next, sessionId, { forAnswers, forDefaults: run.isDemo }, now());
      if (code !== null) finish(code);
    },
    signal() {},
  });
  const stop = stopper(run, view, finish);
  openPrompt(run, view, () => state, stop);
  context.onStop(stop);
  const code = await Promise.race([finished, watching.gone.then((why) => lost(view, why))]);
  watching.stop();
  view.end(code);
  return code;
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
