/** Halves of a character that a cut left behind would not survive the way into a file. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD");

/** The last `limit` bytes of a text, cut between characters, with a mark where something is missing. */
export function tailOf(text: string, limit: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return `… ${bytes.subarray(start).toString("utf8")}`;
}

/** Beginning and end of a text, for readers who need both. */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${wellFormed(text.slice(0, half))}\n… (${text.length - 2 * half} characters left out) …\n${wellFormed(text.slice(-half))}`;
}

/** Collects lines and keeps only the end of them, in bounded memory. */
export function createTail(limit: number) {
  let text = "";
  return {
    add(line: string): void {
      text += `${line}\n`;
      if (text.length > 4 * limit) text = text.slice(-2 * limit);
    },
    text: (): string => tailOf(wellFormed(text), limit),
  };
}
