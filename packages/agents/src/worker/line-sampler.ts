import type { OutputLine } from "../sandbox/sandbox.ts";

const LINES_PER_SECOND = 500;
const BURST = 2_000;

/**
 * Lets through as many lines as a person could follow, and says how many it left out. A worker that prints a million
 * lines must not become a million events.
 */
export function createLineSampler(emit: (line: OutputLine) => void, monotonic: () => number) {
  let credit = BURST;
  let last = monotonic();
  let skipped = 0;
  const tellSkipped = (): void => {
    if (skipped === 0) return;
    emit({ stream: "stderr", line: `… [${skipped} lines left out here; the log has them all]` });
    skipped = 0;
  };
  return {
    add(line: OutputLine): void {
      const now = monotonic();
      credit = Math.min(BURST, credit + ((now - last) / 1_000) * LINES_PER_SECOND);
      last = now;
      if (credit < 1) {
        skipped++;
        return;
      }
      tellSkipped();
      credit -= 1;
      emit(line);
    },
    end: tellSkipped,
  };
}
