/**
 * Counts wrong credentials in a sliding minute. Tokens and one-time codes cannot be guessed, so right ones are never
 * refused and nobody can lock the owner out; a password can, so it is not even looked at while there are too many.
 */
export interface WrongTries {
  /** Whether there were too many in the last minute. */
  areTooMany(): boolean;
  /** Notes one wrong try; true while it is still answered with 401, false once it has to be 429. */
  note(): boolean;
}

const WINDOW_MS = 60_000;
const MOST = 20;

export function createWrongTries(now: () => number): WrongTries {
  const times: number[] = [];
  function areTooMany(): boolean {
    const since = now() - WINDOW_MS;
    while (times[0] !== undefined && times[0] <= since) times.shift();
    return times.length >= MOST;
  }
  return {
    areTooMany,
    note() {
      if (areTooMany()) return false;
      times.push(now());
      return true;
    },
  };
}
