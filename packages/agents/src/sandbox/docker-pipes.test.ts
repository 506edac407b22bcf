import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OutputLine } from "./sandbox.ts";
import { withPipes, type OpenPipes, type Pipes } from "./docker-pipes.ts";
import { PIPE_DIR, PIPED } from "./docker-scripts.ts";
import { EngineAnswer } from "../docker/errors.ts";

describe.skipIf(process.platform !== "linux")("the pipes of a command", () => {
  let pipes: Pipes;
  let lines: OutputLine[];
  beforeEach(async () => {
    lines = [];
    const made = await withPipes((own) => Promise.resolve(own));
    if (made === null) throw new Error("no pipes on Linux");
    pipes = made;
  });
  afterEach(() => pipes.remove());

  const open = async (id: string): Promise<OpenPipes> => {
    const opened = await pipes.open(id, { onLine: (line) => lines.push(line) });
    if (opened === null) throw new Error("no pipes could be made");
    return opened;
  };
  /** The wrapper as it runs in a container, here with the folder where it really is. */
  const run = (id: string, host: string, ...command: string[]) => {
    const script = `id=$1 host=$2\nshift 2\n${PIPED.replaceAll(PIPE_DIR, pipes.mount.Source)}`;
    return spawn("sh", ["-c", script, "sh", id, host, ...command], {
      stdio: ["ignore", "pipe", "pipe"],
    });
  };

  test("bring its output apart and whole, and then what it exited with", async () => {
    const opened = await open("run-1");
    run("run-1", pipes.kernel, "sh", "-c", "echo out; echo err >&2; printf rest; exit 7");
    expect(await opened.exit).toBe(7);
    opened.awaitEnd();
    await opened.closed;
    expect(lines.filter(({ stream }) => stream === "stdout").map(({ line }) => line)).toEqual([
      "out",
      "rest",
    ]);
    expect(lines).toContainEqual({ stream: "stderr", line: "err" });
    opened.close();
    expect(readdirSync(pipes.mount.Source)).toEqual([]);
  });

  test("say nothing of an exit where the wrapper is killed", async () => {
    const killed = await open("run-1");
    const child = run("run-1", pipes.kernel, "sh", "-c", "echo $$; exec sleep 100");
    await expect.poll(() => lines.length).toBe(1);
    expect(killed.hasBegun()).toBe(true);
    child.kill("SIGKILL");
    killed.awaitEnd();
    expect(await killed.exit).toBeNull();
    killed.close();
    process.kill(Number(lines[0]?.line), "SIGKILL");
  });

  test("stay open for the command when somebody else has used them before it", async () => {
    const opened = await open("run-1");
    for (const name of ["out", "err", "end"])
      writeFileSync(join(pipes.mount.Source, `run-1.${name}`), "");
    run("run-1", pipes.kernel, "sh", "-c", "echo all the same; exit 5");
    expect(await opened.exit).toBe(5);
    expect(lines).toEqual([{ stream: "stdout", line: "all the same" }]);
    opened.close();
  });

  test("are not used on another kernel: the command speaks where it was started", async () => {
    const opened = await open("run-1");
    const child = run("run-1", "another-kernel", "sh", "-c", "echo direct; exit 3");
    const said: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, Buffer.concat(said).toString(), opened.hasBegun()]).toEqual([
      3,
      "direct\n",
      false,
    ]);
    opened.close();
  });

  test("nobody else on the machine gets at them, and those of the dead are taken away", async () => {
    expect(statSync(dirname(pipes.mount.Source)).mode & 0o777).toBe(0o700);
    const dead = join(tmpdir(), "multiverse-pipes-4194304-x");
    mkdirSync(dead);
    writeFileSync(join(dead, "left"), "");
    await withPipes(async (own) => own?.remove());
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(pipes.mount.Source)).toBe(true);
  });

  test("an engine that does not see the folder is used without them", async () => {
    const tried: boolean[] = [];
    await withPipes((own) => {
      tried.push(own !== null);
      if (own === null) return Promise.resolve();
      throw new EngineAnswer(400, `bind source path does not exist: ${own.mount.Source}`);
    });
    expect(tried).toEqual([true, false]);
  });
});
