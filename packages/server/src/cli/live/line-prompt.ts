import { createInterface } from "node:readline";

/** A line at the bottom of the screen that someone may be typing into while the rest is drawn again above it. */
export interface LinePrompt {
  /** How many rows the cursor is below the first row of the prompt. */
  depth(): number;
  /** Draws the label and what is typed so far, at the cursor. */
  draw(label: string): void;
  close(): void;
}

export interface PromptListeners {
  readonly onLine: (line: string) => void;
  /** Ctrl-C: while a line is read it comes as a key, not as a signal. */
  readonly onInterrupt: () => void;
}

interface LinePromptOptions extends PromptListeners {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export function openLinePrompt(options: LinePromptOptions): LinePrompt {
  const { input, output, onLine, onInterrupt } = options;
  const lines = createInterface({ input, output, prompt: "", terminal: true, historySize: 0 });
  let isOpen = true;
  lines.on("line", onLine);
  lines.on("SIGINT", onInterrupt);
  lines.on("close", () => (isOpen = false)); // Ctrl-D: nobody types any more, the work goes on
  return {
    depth: () => (isOpen ? lines.getCursorPos().rows : 0),
    draw(label) {
      if (!isOpen) return;
      lines.setPrompt(label);
      lines.prompt(true);
    },
    close: () => lines.close(),
  };
}
