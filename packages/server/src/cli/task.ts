import { join, resolve } from "node:path";
import { runProcess } from "@multiverse/agents/exec";
import { systemClock } from "@multiverse/agents/system-clock";
import { demoFor } from "../demo.ts";
import { liveSettings, type LiveSettings } from "../live-settings.ts";
import { newId } from "../new-id.ts";
import { createTaskAsker } from "../planner.ts";
import { projectFolder } from "../project-folder.ts";
import { createSettings } from "../settings.ts";
import { buildTaskConfig } from "../task-builder.ts";
import { createTools } from "../tools.ts";
import type { CliContext } from "./context.ts";
import { safeText } from "./terminal.ts";

export interface TaskFlags {
  readonly project: string;
  readonly print?: boolean;
  readonly demo?: boolean;
}

/** After Ctrl-C. */
const STOPPED = 130;
/** agent-runner stops its worker (5 s) and removes its container before it goes. */
const STOP_GRACE_MS = 15_000;

/** `multiverse task "…"`: one sentence as one task, run by agent-runner, or only shown. */
export async function task(
  context: CliContext,
  sentence: string,
  flags: TaskFlags,
): Promise<number> {
  const { terminal } = context;
  const live = await settingsOf(context, flags);
  const stop = new AbortController();
  context.onStop(() => stop.abort());
  const wanted = resolve(context.cwd, flags.project);
  // Before anybody is asked: a folder that cannot be used must not cost an answer of a model.
  const projectRoot = flags.print ? wanted : await projectFolder(wanted, context.home);
  const settings = live.task();
  const built = await buildTaskConfig(
    sentence,
    { projectRoot },
    { buildTask: asker(context, settings), newId, settings, signal: stop.signal },
  ).catch((error: unknown) => {
    if (stop.signal.aborted) return null;
    throw error;
  });
  if (!built) return STOPPED;
  if (built.warning)
    terminal.err(
      `warning: ${safeText(built.warning, false)}\nthe task says only what you said, without a plan of the meta-agent\n`,
    );
  if (flags.print) {
    terminal.out(safeText(built.yaml, false));
    return 0;
  }
  return runTask(context, built.yaml, projectRoot, live.runEnv(), stop.signal);
}

/** The settings that a task of a plan would be run with. */
async function settingsOf(context: CliContext, flags: TaskFlags): Promise<LiveSettings> {
  const { environment, home, quietLog, terminal } = context;
  const { on } = (await demoFor(context, flags)).demo;
  if (on) terminal.err("demo agent: scripted, no AI\n");
  const settings = createSettings(home);
  const demo = (): boolean => on;
  const tools = createTools({ environment, settings, demo, ask: async () => "" });
  return liveSettings(settings, tools, demo, quietLog, () => {});
}

const asker = (
  { environment: { env }, mask, quietLog: log, home }: CliContext,
  choice: ReturnType<LiveSettings["task"]>,
) =>
  createTaskAsker(
    { env, clock: systemClock, mask, log, cooldowns: join(home.root, "cooldown") },
    choice,
  );

async function runTask(
  context: CliContext,
  yaml: string,
  folder: string,
  runEnv: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { exitCode } = await runProcess(
    {
      command: process.execPath,
      args: [context.runnerPath],
      env: {},
      workdir: folder,
      stdin: yaml,
      timeoutSec: 0,
      idleTimeoutSec: 0,
    },
    {
      signal,
      graceMs: STOP_GRACE_MS,
      cwd: folder,
      env: { ...context.environment.env, MULTIVERSE_HOME: context.home.root, ...runEnv },
      onLine: ({ stream, line }) => {
        const text = `${safeText(line, context.terminal.colours)}\n`;
        if (stream === "stdout") context.terminal.out(text);
        else context.terminal.err(text);
      },
    },
  );
  return exitCode ?? STOPPED;
}
