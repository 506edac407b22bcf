import type { OutputLine } from "./sandbox.ts";

const NOT_STARTED = /^OCI runtime exec failed/;
const CANNOT_EXECUTE = 126;

/** The engine tells of a command it could not start as if the command had said it; such a first line is held back. */
export function holdStartFailure(onLine: (line: OutputLine) => void) {
  let first = true;
  let held: OutputLine | null = null;
  const release = (): void => {
    if (held !== null) onLine(held);
    held = null;
  };
  return {
    add(line: OutputLine): void {
      if (first && NOT_STARTED.test(line.line)) held = line;
      else {
        release();
        onLine(line);
      }
      first = false;
    },
    failed: (exitCode: number | null): boolean => held !== null && exitCode === CANNOT_EXECUTE,
    release,
  };
}
