/** Once a command has exited its output is over when nothing came for this long: a daemon can hold the pipe for ever. */
const QUIET_MS = 250;
/** And a daemon that goes on talking is not listened to for ever. */
const DRAIN_MS = 10_000;

/** Resolves when nothing has been heard for a while. */
export async function quiet(heard: { readonly at: number }, signal: AbortSignal): Promise<void> {
  const from = performance.now();
  const since = (): number => performance.now() - Math.max(from, heard.at);
  while (since() < QUIET_MS && performance.now() - from < DRAIN_MS && !signal.aborted) {
    await pause(QUIET_MS - since(), signal);
  }
}

/** So many milliseconds, or less if the signal comes. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
