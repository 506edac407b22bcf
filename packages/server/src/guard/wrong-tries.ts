/** Counts wrong credentials in a sliding minute. Right ones are never refused, so nobody can lock the owner out. */
export interface WrongTries {
  /** Notes one wrong try; true while it is still answered with 401, false once it has to be 429. */
  note(): boolean;
}

const WINDOW_MS = 60_000;
const MOST = 20;

export function createWrongTries(now: () => number): WrongTries {
  const times: number[] = [];
  return {
    note() {
      const time = now();
      while (times[0] !== undefined && times[0] <= time - WINDOW_MS) times.shift();
      if (times.length >= MOST) return false;
      times.push(time);
      return true;
    },
  };
}
