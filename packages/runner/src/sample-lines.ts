import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";

const LINES_PER_SECOND = 500;
const BURST = 2_000;
/** Enough for the evidence's tail. */
const KEPT_CHARS = 8_192;

/**
 * Lets through as many lines as a person could follow, and the last ones in any case, since they say how it ended. A
 * command that prints a million lines must not become a million events.
 */
export function sampleLines(emit: (line: OutputLine) => void, monotonic: () => number) {
  let credit = BURST;
  let last = monotonic();
  let skipped = 0;
  let kept: OutputLine[] = [];
  let keptChars = 0;
  const catchUp = (): void => {
    const lost = skipped - kept.length;
    if (lost > 0) emit({ stream: "stderr", line: `… [${lost} lines left out here]` });
    kept.forEach(emit);
    [skipped, kept, keptChars] = [0, [], 0];
  };
  return {
    add(line: OutputLine): void {
      const now = monotonic();
      credit = Math.min(BURST, credit + ((now - last) / 1_000) * LINES_PER_SECOND);
      last = now;
      if (credit >= kept.length + 1) {
        credit -= kept.length + 1;
        if (skipped > 0) catchUp();
        emit(line);
        return;
      }
      skipped += 1;
      kept.push(line);
      keptChars += line.line.length;
      while (keptChars > KEPT_CHARS && kept.length > 1) keptChars -= kept.shift()?.line.length ?? 0;
    },
    end: catchUp,
  };
}
