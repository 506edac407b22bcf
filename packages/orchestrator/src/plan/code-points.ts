/** The beginning of a text, counted in code points: an emoji or a kanji outside the basic plane is never halved. */
export const firstCodePoints = (text: string, count: number): string =>
  text.length <= count ? text : Array.from(text).slice(0, count).join("");
