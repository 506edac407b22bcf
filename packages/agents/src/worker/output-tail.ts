/** The end of a text that comes line by line; memory stays at twice the limit, however much comes. */
export interface OutputTail {
  add(line: string): void;
  text(): string;
  /** Characters in all, line ends counted. */
  length(): number;
}

export function createOutputTail(limit: number): OutputTail {
  let held = "";
  let length = 0;
  return {
    add(line) {
      held += `${line}\n`;
      length += line.length + 1;
      if (held.length > 2 * limit) held = held.slice(-limit);
    },
    text: () => held.slice(-limit),
    length: () => length,
  };
}
