/**
 * Terminal output from workers is somebody else's text. Only colour (SGR) survives; everything else that a terminal
 * would obey (cursor moves, titles, links, queries) is taken out.
 */
const ESC = "\u001b";
// OSC, DCS, SOS, PM and APC strings run to BEL or ST; an unfinished one takes the rest of the line.
const STRINGS = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c|$)`,
  "g",
);
const CSI = new RegExp(`(?:${ESC}\\[|\\u009b)([0-?]*)[ -/]*([@-~])`, "g");
const OTHER = new RegExp(`${ESC}[ -/]*[0-~]?`, "g");
// eslint-disable-next-line no-control-regex -- these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** The text with nothing left in it but colour. */
export function stripEscapes(text: string): string {
  if (!hasControls(text)) return text;
  const kept: string[] = [];
  const marked = text.replace(STRINGS, "").replace(CSI, (_, args: string, final: string) => {
    if (final !== "m" || !/^[0-9;:]*$/.test(args)) return "";
    kept.push(args);
    return "\uffff";
  });
  let next = 0;
  return marked
    .replace(OTHER, "")
    .replace(CONTROLS, "")
    .replace(/\uffff/g, () => `${ESC}[${kept[next++] ?? ""}m`);
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < 0x20 && code !== 9) || (code >= 0x7f && code < 0xa0) || code === 0xffff)
      return true;
  }
  return false;
}

export interface Span {
  readonly text: string;
  /** A colour of the palette by name, or null for the text's own. */
  readonly colour: string | null;
  readonly bold: boolean;
  readonly dim: boolean;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const PLAIN = { colour: null, bold: false, dim: false } as const;
type Style = Omit<Span, "text">;

/** Text with colour as spans. Background colours and the rest are ignored, so that contrast stays ours. */
export function spansOf(text: string): Span[] {
  if (!text.includes(ESC)) return text === "" ? [] : [{ text, ...PLAIN }];
  const spans: Span[] = [];
  let style: Style = PLAIN;
  let from = 0;
  for (const match of text.matchAll(CSI)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), ...style });
    style = restyle(style, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < text.length) spans.push({ text: text.slice(from), ...style });
  return spans;
}

/** The text alone, for searching and for the file. */
export const plainText = (text: string): string =>
  text.includes(ESC) ? text.replace(CSI, "") : text;

function restyle(style: Style, args: string): Style {
  const codes = args.split(/[;:]/).map(Number);
  let next = style;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4;
    else next = withCode(next, code);
  }
  return next;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: null };
  const index = code >= 90 ? code - 90 : code - 30;
  return index >= 0 && index < 8 ? { ...style, colour: COLOURS[index] ?? null } : style;
}
