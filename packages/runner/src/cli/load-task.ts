import { MultiverseError } from "@multiverse/protocol/error";
import type { Recording } from "../recording/read-recording.ts";
import { byPlace, readTaskFile } from "../task-file/read-task-file.ts";
import { lookAtHost, resolveTask } from "../task-file/resolve-task.ts";
import type { ResolvedTask } from "../task-file/resolve-task.ts";
import { invalidTask, sayProblem } from "../task-file/say-problems.ts";
import type { Command } from "./agent-runner.ts";
import { readInput, taskSource } from "./read-input.ts";

export interface LoadedTask {
  readonly task: ResolvedTask;
  readonly warnings: readonly string[];
  /** The YAML as it was read. */
  readonly source: string;
  readonly recording: Recording | null;
}

/** Reads and checks the task. Throws INVALID_TASK with everything that is wrong. */
export async function loadTask(command: Command): Promise<LoadedTask> {
  const { host, options, signals } = command;
  const recording = options.replayPath === undefined ? null : await recordingAt(options.replayPath);
  const { bytes, name } = await taskBytes(command, recording);
  const { task: parsed, problems, refused } = readTaskFile(bytes);
  const here = { cwd: host.cwd, env: host.env, checkEnv: recording === null };
  if (!parsed) {
    const others = refused ? (await lookAtHost(refused.parts, refused, here)).problems : [];
    const all = byPlace([...problems, ...others]);
    throw withTaskId(invalidTask(name, all, refused?.warnings), refused?.taskId);
  }
  signals.signal.throwIfAborted();
  const resolved = await resolveTask(parsed, {
    ...here,
    newTaskId: async () => recording?.header.task_id ?? (await import("node:crypto")).randomUUID(),
  });
  if (Array.isArray(resolved))
    throw withTaskId(invalidTask(name, resolved, parsed.warnings), parsed.file.task.id);
  return {
    task: resolved,
    warnings: parsed.warnings.map((warning) => sayProblem(name, warning)),
    source: new TextDecoder().decode(bytes),
    recording,
  };
}

const recordingAt = async (path: string): Promise<Recording> =>
  (await import("../recording/read-recording.ts")).readRecording(path);

async function taskBytes(
  { host, options, signals }: Command,
  recording: Recording | null,
): Promise<{ bytes: Uint8Array; name: string }> {
  // Nobody types a task into a terminal, and a recording brings its own.
  if (options.taskPath === undefined && host.stdin.isTTY === true) {
    if (recording) return recorded(recording);
    throw new MultiverseError("INVALID_TASK", "there is no task: stdin is a terminal", {
      hint: "Run `agent-runner < task.yaml`, or name the file with --task.",
    });
  }
  const { source, name } = taskSource(options.taskPath, host.stdin);
  const bytes = await readInput(source, name, signals.signal);
  return recording && bytes.length === 0 ? recorded(recording) : { bytes, name };
}

const recorded = ({ header }: Recording): { bytes: Uint8Array; name: string } => ({
  bytes: Buffer.from(header.task, "utf8"),
  name: "<recording>",
});

const withTaskId = (error: MultiverseError, taskId: string | undefined): MultiverseError =>
  taskId === undefined ? error : Object.assign(error, { taskId });
