import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import { createLineSplitter } from "../lines.ts";
import type { OutputLine } from "../sandbox/sandbox.ts";
import { Created, ExecState } from "./answers.ts";
import type { Engine } from "./engine.ts";
import { createDemultiplexer } from "./frames.ts";
import { pause, quiet } from "./quiet.ts";

/** Who listens to what a command says. */
export interface Listener {
  readonly lineLimit?: number | undefined;
  readonly onLine: (line: OutputLine) => void;
  /** Called whenever anything comes, also without a line end. */
  readonly onBytes?: () => void;
}

export interface ContainerExec extends Listener {
  readonly argv: readonly string[];
  readonly stdin: Buffer | string;
}

/** A command that runs in a container. `done` is its exit code, or null where the engine no longer knows it. */
export interface RunningExec {
  readonly done: Promise<number | null>;
  /** Stops listening; the command itself has to be ended inside the container. */
  detach(): void;
}

const POLL_MS = 500;
/** An engine that takes longer to say whether a command runs is one that does not know. */
const STATE_MS = 10_000;
/** Between the end of the output and the engine's knowing of the exit there are a few milliseconds. */
const SETTLE_MS = 10;

export async function startExec(
  engine: Engine,
  container: string,
  exec: ContainerExec,
): Promise<RunningExec> {
  return attachExec(engine, await createExec(engine, container, exec.argv), exec);
}

/** Tells the engine what is to be run; nothing runs yet. Gives the id. */
export async function createExec(
  engine: Engine,
  container: string,
  argv: readonly string[],
): Promise<string> {
  const created = await engine.call("POST", `/containers/${container}/exec`, {
    body: { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv },
  });
  return Created.parse(created).Id;
}

export async function attachExec(
  engine: Engine,
  id: string,
  { stdin, ...listener }: Omit<ContainerExec, "argv">,
): Promise<RunningExec> {
  const socket = await engine.hijack(`/exec/${id}/start`, { Detach: false, Tty: false });
  const heard = { at: performance.now() };
  const onBytes = (): void => {
    heard.at = performance.now();
    listener.onBytes?.();
  };
  const read = readOutput(socket, { ...listener, onBytes });
  // A command that exits before it has read its input breaks the pipe; its exit code says what happened.
  socket.on("error", () => {});
  socket.end(stdin);
  const stop = new AbortController();
  const done = watch(engine, id, read, heard, stop.signal).finally(() => socket.destroy());
  return {
    done,
    detach() {
      stop.abort();
      socket.destroy();
    },
  };
}

function readOutput(socket: Duplex, { onLine, lineLimit, onBytes }: Listener): Promise<void> {
  const splitters = {
    stdout: createLineSplitter(lineLimit),
    stderr: createLineSplitter(lineLimit),
  };
  const demultiplexer = createDemultiplexer((stream, bytes) => {
    for (const line of splitters[stream].push(bytes)) onLine({ stream, line });
  });
  socket.on("data", (chunk: Buffer) => {
    onBytes?.();
    demultiplexer.push(chunk);
  });
  const flush = (): void => {
    for (const stream of ["stdout", "stderr"] as const) {
      for (const line of splitters[stream].end()) onLine({ stream, line });
    }
  };
  return finished(socket, { writable: false }).then(flush, flush);
}

/** The end of the output is the usual sign of the end; the engine is asked as well, because a pipe can be held open. */
async function watch(
  engine: Engine,
  id: string,
  read: Promise<void>,
  heard: { readonly at: number },
  signal: AbortSignal,
): Promise<number | null> {
  const ended = read.then(() => true);
  for (;;) {
    const isOver = await Promise.race([ended, pause(POLL_MS, signal).then(() => false)]);
    if (signal.aborted) return null;
    const state = await stateOf(engine, id);
    if (state === null) return null;
    if (!state.Running) {
      await Promise.race([ended, quiet(heard, signal)]);
      return state.ExitCode;
    }
    // The output is closed but the command goes on: only asking will tell.
    if (isOver) await pause(SETTLE_MS, signal);
  }
}

async function stateOf(engine: Engine, id: string): Promise<ExecStateOf | null> {
  try {
    return ExecState.parse(await engine.call("GET", `/exec/${id}/json`, { timeoutMs: STATE_MS }));
  } catch {
    return null;
  }
}
type ExecStateOf = ReturnType<typeof ExecState.parse>;
