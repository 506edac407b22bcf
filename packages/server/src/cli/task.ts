import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { runProcess } from "@multiverse/agents/exec";
import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import { systemClock } from "@multiverse/agents/system-clock";
import { demoFor } from "../demo.ts";
import { newId } from "../new-id.ts";
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

/** `multiverse task "…"`: one sentence as one task, run by agent-runner, or only shown. */
export async function task(
  context: CliContext,
  sentence: string,
  flags: TaskFlags,
): Promise<number> {
  const { environment, home, terminal } = context;
  const { on: demo } = await demoFor(context, flags);
  const tools = createTools({
    environment,
    settings: createSettings(home),
    demo: () => demo,
    ask: async () => "",
  });
  const llm = await tools.llm();
  const stop = new AbortController();
  context.onStop(() => stop.abort());
  const meta = createMetaAgent({
    ...llm,
    env: environment.env,
    clock: systemClock,
    mask: context.mask,
  });
  const settings = {
    llm,
    tooling: null,
    workerKind: demo ? "mock" : "codex-cli",
    noteLanguage: "ja" as const,
  };
  const built = await buildTaskConfig(newId("task"), sentence, meta, settings, stop.signal);
  if (built.warning) terminal.err(`the meta-agent had no part in this: ${built.warning}\n`);
  if (flags.print) {
    terminal.out(built.yaml);
    return 0;
  }
  return runTask(context, built.yaml, resolve(context.cwd, flags.project), stop.signal);
}

async function runTask(
  context: CliContext,
  yaml: string,
  folder: string,
  signal: AbortSignal,
): Promise<number> {
  await mkdir(folder, { recursive: true });
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
      cwd: folder,
      env: context.environment.env,
      onLine: ({ stream, line }) => {
        const text = `${safeText(line, context.terminal.colours)}\n`;
        if (stream === "stdout") context.terminal.out(text);
        else context.terminal.err(text);
      },
    },
  );
  return exitCode ?? 130;
}
