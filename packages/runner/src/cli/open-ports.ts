import { resolve } from "node:path";
import type { Logger } from "@multiverse/agents/log";
import { systemClock } from "@multiverse/agents/system-clock";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { leaveOutLastCompleted } from "../last-completed.ts";
import type { LiveMask } from "../live-mask.ts";
import { openLineFile } from "../output/line-file.ts";
import { openPatterns } from "../patterns.ts";
import type { RecordingHeader } from "../recording/entry.ts";
import { createRecorder } from "../recording/record.ts";
import type { Recorder } from "../recording/record.ts";
import { replayPorts } from "../recording/replay.ts";
import { warn } from "../run.ts";
import type { RunPorts } from "../run-ports.ts";
import { lazyTree, openTree } from "../tree/open-tree.ts";
import { createWorkerLog } from "../worker-log.ts";
import type { Command } from "./agent-runner.ts";
import { openGate } from "./cooldown-gate.ts";
import type { LoadedTask } from "./load-task.ts";
import { openMeta } from "./open-meta.ts";
import { openWorker } from "./open-worker.ts";

export interface OpenPorts {
  readonly command: Command;
  readonly loaded: LoadedTask;
  readonly traceId: string;
  readonly mask: LiveMask;
  readonly log: Logger;
  readonly emit: (event: RunEventBody) => void;
}

export interface OpenedPorts extends RunPorts {
  /** Where a recorded run was stopped; never aborts in a live one. */
  readonly stopped: AbortSignal;
  readonly close: () => void;
}

/** Everything a run needs from outside: the real things, recorded where asked for, or a recording in their place. */
export async function openPorts(options: OpenPorts): Promise<OpenedPorts> {
  const { command, loaded, mask, log, emit } = options;
  const { task, recording } = loaded;
  const workerLog = createWorkerLog(task.repoPath, task.id, mask);
  const shared = {
    emit,
    log,
    workerLog,
    patterns: await openPatterns(task.repoPath, command.host.env.MULTIVERSE_PATTERNS, (why) =>
      warn({ log, emit }, why),
    ),
  };
  const said = leaveOutLastCompleted(emit);
  if (recording) {
    const played = replayPorts(recording, (event) => {
      if (event.type === "output") workerLog.line(event);
      said(event);
    });
    return { ...shared, ...played, close: () => {} };
  }
  const recorder = openRecorder(options);
  const { signal } = command.signals;
  const noteStop = (): void => recorder?.recorder.stopped();
  signal.addEventListener("abort", noteStop);
  const report = (event: RunEventBody): void => {
    recorder?.recorder.see(event);
    said(event);
  };
  const gate = openGate(command.host.env);
  const live = {
    meta: openMeta({ ...options, gate, report, record: (entry) => recorder?.recorder.keep(entry) }),
    worker: openWorker({
      ...options,
      task,
      env: command.host.env,
      gate,
      report,
      onOutput: (line) => workerLog.line(line),
    }),
    tree: lazyTree((signal) =>
      openTree(task.repoPath, command.host.env.PATH ?? "", signal, ownFiles(command)),
    ),
  };
  return {
    ...shared,
    ...(recorder ? recorder.recorder.wrap(live) : live),
    clock: systemClock,
    stopped: new AbortController().signal,
    close() {
      signal.removeEventListener("abort", noteStop);
      recorder?.close();
    },
  };
}

/** What this run writes by itself, wherever somebody told it to. */
const ownFiles = ({ host, options }: Command): string[] =>
  [options.eventsPath, options.resultPath, options.recordPath].flatMap((path) =>
    path === undefined ? [] : [resolve(host.cwd, path)],
  );

function openRecorder({
  command,
  loaded,
  traceId,
  mask,
  log,
  emit,
}: OpenPorts): { recorder: Recorder; close: () => void } | null {
  const path = command.options.recordPath;
  if (path === undefined) return null;
  const sink = openLineFile(path, (why) => warn({ log, emit }, `the recording stops: ${why}`));
  const header: RecordingHeader = {
    kind: "recording",
    v: 1,
    task_id: loaded.task.id,
    trace_id: traceId,
    started_at: systemClock.now().toISOString(),
    task: loaded.source,
  };
  return { recorder: createRecorder(sink, header, mask, systemClock), close: () => sink.close() };
}
