/** Characters that take two columns of a terminal: most East Asian ones, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NONE = /\p{Mn}|\p{Cf}/u;

const widthOf = (character: string): number =>
  NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;

/** Columns that a text takes on one line. */
export const textWidth = (text: string): number => {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
};

/** The text, cut with an ellipsis where it would not fit. */
export function cutToWidth(text: string, columns: number): string {
  const limit = Math.max(1, columns);
  let width = 0;
  let cut = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > limit) return `${text.slice(0, cut)}…`;
    if (width < limit) cut += character.length;
  }
  return text;
}

/** The text as lines that fit, broken at spaces where there are any: Japanese has none. */
export function wrapToWidth(text: string, columns: number): string[] {
  const limit = Math.max(2, columns);
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (textWidth(rest) > limit) {
      const fits = prefixOf(rest, limit);
      const space = fits.lastIndexOf(" ");
      const cut = space > 0 ? space : fits.length;
      lines.push(rest.slice(0, cut));
      rest = rest.slice(cut).trimStart();
    }
    return [...lines, rest];
  });
}

function prefixOf(text: string, limit: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > limit) break;
    end += character.length;
  }
  return text.slice(0, Math.max(1, end));
}
