import { execFile } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { EngineAnswer } from "../docker/errors.ts";
import type { Listener } from "../docker/exec.ts";
import { createLineSplitter } from "../lines.ts";
import { startTimeOf } from "../process-group.ts";
import type { OutputLine } from "./sandbox.ts";
import type { BindMount } from "./docker-git-guard.ts";
import { PIPE_DIR } from "./docker-scripts.ts";

/**
 * Named pipes between the containers of a sandbox and us. What a command says, and what it exits with, comes through
 * them and not through the engine, so that an engine that is restarted loses nothing. The folder is read-only inside:
 * a container can write into the pipes we made and do nothing else there.
 */
export interface Pipes {
  readonly mount: BindMount;
  /** Tells this machine's kernel from another: pipes do not reach into a virtual machine. */
  readonly kernel: string;
  /** Null where no pipes can be made. */
  open(id: string, listener: Listener): Promise<OpenPipes | null>;
  remove(): void;
}

export interface OpenPipes {
  /** Whether the container has come to use them; it cannot where it has another kernel. */
  hasBegun(): boolean;
  /**
   * Until now a pipe that nobody writes into stays open, for the command may not have come to it yet, and others in the
   * container may have let go of it. From now on that is its end: the command has had its time, or the engine is gone.
   */
  awaitEnd(): void;
  /** What the command exited with; null once whoever had to say it is gone without a word. */
  readonly exit: Promise<number | null>;
  /** Nobody holds the output any more. */
  readonly closed: Promise<void>;
  close(): void;
}

const KERNEL = "/proc/sys/kernel/random/boot_id";
const PREFIX = "multiverse-pipes-";
const makePipes = promisify(execFile);

/** An engine that does not see this machine's temporary folder works without pipes. */
export async function withPipes<T>(act: (pipes: Pipes | null) => Promise<T>): Promise<T> {
  const pipes = createPipes();
  try {
    return await act(pipes);
  } catch (error) {
    pipes?.remove();
    const isUnseen =
      error instanceof EngineAnswer && pipes !== null && error.message.includes(pipes.mount.Source);
    if (isUnseen) return act(null);
    throw error;
  }
}

function createPipes(): Pipes | null {
  if (process.platform !== "linux") return null;
  const kernel = readFileSync(KERNEL, "utf8").trim();
  sweep();
  // Nobody else on this machine gets past the outer folder; the container sees only the inner one.
  const outer = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const folder = join(outer, "pipes");
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return {
    mount: { Type: "bind", Source: folder, Target: PIPE_DIR, ReadOnly: true },
    kernel,
    async open(id, listener) {
      const paths = ["out", "err", "end"].map((name) => join(folder, `${id}.${name}`));
      try {
        await makePipes("mkfifo", ["-m", "622", ...paths]);
        return read(paths, listener);
      } catch {
        return null;
      }
    },
    remove: () => rmSync(outer, { recursive: true, force: true }),
  };
}

/** Takes away the pipes of processes that were killed. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : 0;
    if (!(pid > 0) || startTimeOf(pid) !== null) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // somebody else's, who will do it themselves
    }
  }
}

function read([out = "", err = "", end = ""]: readonly string[], listener: Listener): OpenPipes {
  const paths = [out, err, end];
  const sockets = paths.map(openPipe);
  const held = new Set(paths.map(holdOpen));
  const awaitEnd = (): void => {
    for (const fd of held) closeSync(fd);
    held.clear();
  };
  const [fromOut, fromErr, fromEnd] = sockets as [Socket, Socket, Socket];
  const ending = readEnding(fromEnd);
  const closed = Promise.all([
    readLines(fromOut, "stdout", listener),
    readLines(fromErr, "stderr", listener),
  ]).then(() => {});
  return {
    ...ending,
    awaitEnd,
    closed,
    close() {
      awaitEnd();
      for (const socket of sockets) socket.destroy();
      for (const path of paths) rmSync(path, { force: true });
    },
  };
}

const holdOpen = (path: string): number =>
  openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);

function openPipe(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const socket = new Socket({ fd, readable: true, writable: false });
    return socket.on("error", () => {});
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function readLines(
  socket: Socket,
  stream: OutputLine["stream"],
  { onLine, onBytes, lineLimit }: Listener,
): Promise<void> {
  const splitter = createLineSplitter(lineLimit);
  socket.on("data", (chunk: Buffer) => {
    onBytes?.();
    for (const line of splitter.push(chunk)) onLine({ stream, line });
  });
  const flush = (): void => splitter.end().forEach((line) => onLine({ stream, line }));
  return finished(socket, { writable: false }).then(flush, flush);
}

const MOST_SAID = 64;

/** `begun`, and after it the exit code. More than that is not listened to: the container could say anything. */
function readEnding(socket: Socket): Pick<OpenPipes, "hasBegun" | "exit"> {
  let said = "";
  const exit = new Promise<number | null>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      said = `${said}${chunk.toString("latin1")}`.slice(0, MOST_SAID);
      const code = /^begun\n(\d{1,3})\n/.exec(said)?.[1];
      if (code !== undefined) resolve(Number(code));
    });
    const gone = (): void => resolve(null);
    finished(socket, { writable: false }).then(gone, gone);
  });
  return { hasBegun: () => said.startsWith("begun\n"), exit };
}
