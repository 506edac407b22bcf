import { createLogger } from "@multiverse/agents/log";
import type { Logger } from "@multiverse/agents/log";
import { systemClock } from "@multiverse/agents/system-clock";
import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import { createLiveMask } from "../live-mask.ts";
import type { LiveMask } from "../live-mask.ts";
import { noteView, renderNote } from "../note.ts";
import { oneLine } from "../output/plain-text.ts";
import { vocabulary } from "../output/vocabulary.ts";
import { resultOf } from "../result.ts";
import { warn } from "../run.ts";
import type { RunPorts } from "../run-ports.ts";
import { runTask } from "../run-task.ts";
import { secretsOfTask } from "../secrets-of-task.ts";
import type { TaskContext } from "../task-context.ts";
import { notePath, writeNote } from "../write-note.ts";
import type { Command } from "./agent-runner.ts";
import type { LoadedTask } from "./load-task.ts";
import { openPorts } from "./open-ports.ts";
import { processEvent } from "./process-event.ts";
import { writeResult } from "./write-result.ts";

/** A run with everything around it: ports, events, note, result. Gives the exit code. */
export async function runSession(command: Command, loaded: LoadedTask): Promise<number> {
  const { host, options, reporter, signals } = command;
  const { task, recording } = loaded;
  const traceId = recording?.header.trace_id ?? (await command.traceId());
  const mask = createLiveMask(secretsOfTask(task, host.env), wordsOf(task.id));
  const log = openLog(command, traceId, mask).withComponent("runner");
  let clock: Clock = systemClock;
  const emit = (event: RunEventBody): void =>
    reporter.emit(event, clock.now(), { traceId, taskId: task.id }, mask);

  const name = task.title === "" ? task.id : `${task.id} - ${task.title}`;
  reporter.print(`agent-runner: ${mask.mask(oneLine(`${name} in ${task.repoPath}`, 500))}\n`);
  emit(processEvent(host.pid));
  for (const warning of loaded.warnings) warn({ log, emit }, warning);
  const ports = await openPorts({ command, loaded, traceId, mask, log, emit });
  clock = ports.clock;
  try {
    const context = await runTask(task, ports, AbortSignal.any([signals.signal, ports.stopped]));
    const note = await leaveNote(context, mask, { log, emit });
    const result = resultOf(context, note);
    const isWritten = await leaveResult(options.resultPath, result, mask, { log, emit });
    emit({ type: "finished", result });
    if (result.reason === "canceled") return signals.exitCode() ?? 1;
    return context.state === "COMPLETE" && isWritten && reporter.isWhole() ? 0 : 1;
  } finally {
    ports.close();
  }
}

/** What a program has to find as it is: the words of the format, and where it knows this task by. */
const wordsOf = (taskId: string): ReadonlySet<string> =>
  new Set([...vocabulary(), taskId, notePath(taskId)]);

/** A result that cannot be written does not undo the run, but whoever waits for the file has to be told. */
async function leaveResult(
  path: string | undefined,
  result: RunResult,
  mask: LiveMask,
  say: Pick<RunPorts, "log" | "emit">,
): Promise<boolean> {
  try {
    await writeResult(path, result, mask);
    return true;
  } catch (error) {
    if (!(error instanceof MultiverseError)) throw error;
    say.log.error(error.message, { hint: error.hint });
    say.emit({ type: "log", level: "error", message: error.message, fields: { hint: error.hint } });
    return false;
  }
}

/** A note that cannot be written is a warning: the work is done all the same. */
async function leaveNote(
  context: TaskContext,
  mask: LiveMask,
  say: Pick<RunPorts, "log" | "emit">,
): Promise<string | null> {
  try {
    const text = renderNote(mask.maskDeep(noteView(context)), context.task.noteLanguage);
    return await writeNote(context.task.repoPath, context.task.id, mask.mask(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warn(say, `the note could not be written: ${why}`);
    context.warnings = [...context.warnings, `the note could not be written: ${why}`];
    return null;
  }
}

function openLog({ host, options, reporter }: Command, traceId: string, mask: LiveMask): Logger {
  const onTerminal = host.stderr.isTerminal;
  return createLogger({
    level: options.logLevel ?? (onTerminal ? "warn" : "info"),
    format: options.logFormat ?? (onTerminal ? "text" : "json"),
    write: (line) => reporter.log(line),
    traceId,
    mask,
  });
}
