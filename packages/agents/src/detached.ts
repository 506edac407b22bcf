import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { MultiverseError } from "@multiverse/protocol/error";
import { startTimeOf } from "./process-group.ts";

export interface DetachedOptions {
  readonly cwd: string;
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A file to read instead: it is whole whatever becomes of us, while a pipe may break halfway. */
  readonly stdinFile?: string;
  /** Files the output is appended to (created 0600); without one the output is thrown away. */
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface DetachedProcess {
  readonly pid: number;
  /** Together with the pid it names this very process, also for a later server (process-group.ts). */
  readonly startTime: string;
  /** Settles when the process ends while we are still here: its exit code, or null after a signal. */
  readonly exited: Promise<number | null>;
}

/** Starts a process that outlives us: its own group and session, output into files, no pipe that could break. */
export function spawnDetached(
  command: string,
  args: readonly string[],
  { cwd, env, stdin, stdinFile, stdout, stderr }: DetachedOptions,
): Promise<DetachedProcess> {
  const files: number[] = [];
  const source = (): number | "pipe" | "ignore" => {
    if (stdinFile === undefined) return stdin === undefined ? "ignore" : "pipe";
    const fd = openSync(stdinFile, "r");
    files.push(fd);
    return fd;
  };
  const sink = (path: string | undefined): number | "ignore" => {
    if (path === undefined) return "ignore";
    const fd = openSync(path, "a", 0o600);
    files.push(fd);
    return fd;
  };
  return new Promise((resolve, reject) => {
    try {
      const child = spawn(command, [...args], {
        cwd,
        env: { ...env },
        detached: true,
        stdio: [source(), sink(stdout), sink(stderr)],
      });
      const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
      child.once("error", (cause) => reject(cannotStart(command, cause)));
      child.once("spawn", () => {
        const pid = child.pid ?? 0;
        resolve({ pid, startTime: startTimeOf(pid) ?? "", exited });
      });
      // A child that ends before it has read everything breaks the pipe: that is its affair.
      child.stdin?.on("error", () => {});
      child.stdin?.end(stdin);
      child.unref();
    } catch (cause) {
      reject(cannotStart(command, cause));
    } finally {
      for (const fd of files) closeSync(fd);
    }
  });
}

const cannotStart = (command: string, cause: unknown): MultiverseError =>
  new MultiverseError("SANDBOX_FAILED", `cannot start ${command}`, {
    hint: "Check that the program is installed and that the folder exists and can be written.",
    retryable: true,
    cause,
  });
