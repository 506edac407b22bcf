/** Where a command writes, and what it may assume about it. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours and live lines only where a person looks. */
  readonly isTerminal: boolean;
  readonly colours: boolean;
  /** As they are now: a window can change its size. What is no terminal has no edge to cut at. */
  readonly columns: number;
  readonly rows: number;
}

const ESC = "\\u001b";
/** Every escape sequence and control character that is not a colour, a tab or a line end. */
const SEQUENCES = new RegExp(
  [
    `${ESC}\\[[0-9:;]*m`, // kept
    `${ESC}[\\]PX^_][\\s\\S]*?(?:\\u0007|${ESC}\\\\|\\u009c|$)`,
    `\\u009d[\\s\\S]*?(?:\\u0007|${ESC}\\\\|\\u009c|$)`,
    `[\\u0090\\u0098\\u009e\\u009f][\\s\\S]*?(?:${ESC}\\\\|\\u009c|$)`,
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
    `[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`,
  ].join("|"),
  "g",
);
const COLOUR = new RegExp(`^${ESC}\\[[0-9:;]*m$`);

/** Text of models, workers and repositories for a terminal: what could drive it is gone, colours stay if wanted. */
export const safeText = (text: string, colours: boolean): string =>
  text.replace(SEQUENCES, (found) => (colours && COLOUR.test(found) ? found : ""));

const CODES = { dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36, bold: 1 } as const;
export type Colour = keyof typeof CODES;

export const paint = (terminal: Terminal, colour: Colour, text: string): string =>
  terminal.colours ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
