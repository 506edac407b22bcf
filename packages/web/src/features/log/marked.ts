export interface Part {
  readonly text: string;
  readonly hit: boolean;
}

/** A text cut where a search hits it. */
export function marked(text: string, search: string): Part[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return [{ text, hit: false }];
  const lower = text.toLowerCase();
  const parts: Part[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false });
    parts.push({ text: text.slice(at, at + wanted.length), hit: true });
    from = at + wanted.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false });
  return parts;
}
