/** How long to wait before the n-th try to reconnect: soon at first, never longer than five seconds, never all at once. */
export function reconnectDelay(tries: number, random: () => number): number {
  const base = Math.min(5_000, 250 * 2 ** Math.min(tries, 10));
  return Math.round(base * (0.8 + random() * 0.4));
}
