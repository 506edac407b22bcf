import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Place } from "../server/program.ts";

const program = fileURLToPath(new URL("../../dist/multiverse.mjs", import.meta.url));

export interface Typing {
  /** Everything the terminal was sent so far. */
  readonly output: () => string;
  readonly type: (text: string) => void;
  readonly exit: Promise<number | null>;
  /** Waits for it, in what was sent since this many characters. */
  shows(pattern: RegExp, since?: number): Promise<void>;
  /** As if somebody pulled at the edge of the window. */
  resize(columns: number): Promise<void>;
}

export const CTRL_C = String.fromCharCode(3);

/** `multiverse …` in a real terminal (util-linux's `script` makes one) of this width, with somebody typing. */
export function atTerminal(place: Place, columns: number, args: readonly string[]): Typing {
  const quoted = [process.execPath, program, ...args].map(
    (arg) => `'${arg.replaceAll("'", "'\\''")}'`,
  );
  const device = join(place.root, "terminal");
  const command = `tty > '${device}'; stty cols ${columns} rows 24; exec ${quoted.join(" ")}`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    env: { ...place.env, TERM: "xterm", SHELL: "/bin/sh" },
    cwd: place.root,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.on("close", (code) => resolve(code)));
  return {
    output: () => output,
    type: (text) => void child.stdin.write(text),
    exit,
    async shows(pattern, since = 0) {
      const sent = (): string => output.slice(since);
      await expect.poll(sent, { timeout: 30_000, interval: 50 }).toMatch(pattern);
    },
    async resize(width) {
      const file = (await readFile(device, "utf8")).trim();
      execFileSync("stty", ["-F", file, "cols", String(width)]);
    },
  };
}
