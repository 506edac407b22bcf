/**
 * The parts of a model's text that may be its answer. Every function passes over the text a bounded number of times,
 * whatever is in it: the text is the model's choice, or that of whoever spoke to the model.
 */

/** What stands between the first fence and the line that closes it, or the end of the text. */
export function firstFence(text: string): string | null {
  const start = text.indexOf("```");
  if (start === -1) return null;
  let body = start;
  while (text[body] === "`") body++;
  const fence = "`".repeat(body - start);
  const lineStart = text.lastIndexOf("\n", start) + 1;
  const indent = isBlank(text, lineStart, start) ? start - lineStart : 0;
  while (body < text.length && /[\w+.-]/.test(text[body] ?? "")) body++;
  const end = closingFence(text, body, fence, indent);
  return text.slice(body, end === -1 ? undefined : end);
}

/** A fence further in than the opening one belongs to the text inside, such as a block of YAML. */
function closingFence(text: string, from: number, fence: string, indent: number): number {
  for (let line = text.indexOf("\n", from); line !== -1; line = text.indexOf("\n", line + 1)) {
    let at = line + 1;
    while (at - line - 1 < indent && text[at] === " ") at++;
    if (text.startsWith(fence, at)) return line;
  }
  const sameLine = text.indexOf("\n", from) === -1 ? text.indexOf(fence, from) : -1;
  return sameLine;
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text[i] !== " " && text[i] !== "\t") return false;
  return true;
}

const MOST_BLOCKS = 8;

/** The first balanced `{…}` of the text, and the few after it: prose may have braces of its own before the answer. */
export function balancedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let from = text.indexOf("{");
  for (let tries = 0; from !== -1 && tries < MOST_BLOCKS; tries++) {
    const end = closingBrace(text, from);
    if (end !== -1) blocks.push(text.slice(from, end + 1));
    from = text.indexOf("{", end === -1 ? from + 1 : end + 1);
  }
  return blocks;
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (isQuoted) {
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) isQuoted = false;
    } else if (c === QUOTE) isQuoted = true;
    else if (c === OPEN) depth++;
    else if (c === CLOSE && --depth === 0) return i;
  }
  return -1;
}
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** From the first line that starts with a name such as `type:`: a CLI may print a header before its answer. */
export function fromLine(text: string, name: string): string | null {
  if (text.startsWith(name)) return text;
  const at = text.indexOf(`\n${name}`);
  return at === -1 ? null : text.slice(at + 1);
}
