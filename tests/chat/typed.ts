import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Place } from "../server/program.ts";

const program = fileURLToPath(new URL("../../dist/multiverse.mjs", import.meta.url));

export interface Typing {
  /** Everything the terminal was sent so far. */
  readonly output: () => string;
  readonly type: (text: string) => void;
  readonly exit: Promise<number | null>;
  shows(pattern: RegExp): Promise<void>;
}

export const CTRL_C = String.fromCharCode(3);

/** `multiverse …` in a real terminal (util-linux's `script` makes one) of this width, with somebody typing. */
export function atTerminal(place: Place, columns: number, args: readonly string[]): Typing {
  const quoted = [process.execPath, program, ...args].map(
    (arg) => `'${arg.replaceAll("'", "'\\''")}'`,
  );
  const command = `stty cols ${columns} rows 24; exec ${quoted.join(" ")}`;
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
    async shows(pattern) {
      await expect.poll(() => output, { timeout: 30_000, interval: 50 }).toMatch(pattern);
    },
  };
}
