/** How well a text fits what was typed: every letter in order, closer together and at word starts is better. -1: not at all. */
export function fuzzyScore(query: string, text: string): number {
  const wanted = query.toLowerCase().replace(/\s+/g, "");
  const lower = text.toLowerCase();
  if (wanted === "") return 0;
  const whole = lower.indexOf(query.toLowerCase().trim());
  if (whole >= 0) return 1_000 - whole - text.length / 100;
  let score = 0;
  let from = 0;
  let last = -2;
  for (const letter of wanted) {
    const at = lower.indexOf(letter, from);
    if (at < 0) return -1;
    if (at === last + 1) score += 5;
    else if (at === 0 || /[\s/·._-]/.test(lower[at - 1] ?? "")) score += 3;
    else score += 1;
    last = at;
    from = at + letter.length;
  }
  return score - (last - wanted.length) / 50;
}

/** The best fits first, at most `limit`. */
export function bestFits<T>(
  query: string,
  items: Iterable<T>,
  textOf: (item: T) => string,
  limit: number,
): T[] {
  const fits: { item: T; score: number }[] = [];
  for (const item of items) {
    const score = fuzzyScore(query, textOf(item));
    if (score >= 0) fits.push({ item, score });
  }
  return fits
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item);
}
