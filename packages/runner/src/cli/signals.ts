/** What a shell expects as exit code after a signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;
type Caught = keyof typeof EXIT_CODES;

export interface Signals {
  readonly signal: AbortSignal;
  /** The exit code of the signal that came, or null. */
  exitCode(): number | null;
  release(): void;
}

/** The first signal asks the run to stop and clean up; the second ends the process at once. */
export function catchSignals(exit: (code: number) => void): Signals {
  const controller = new AbortController();
  let caught: Caught | null = null;
  const on = (name: Caught) => (): void => {
    if (caught !== null) exit(EXIT_CODES[caught]);
    caught ??= name;
    controller.abort();
  };
  const handlers = (Object.keys(EXIT_CODES) as Caught[]).map((name) => [name, on(name)] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    exitCode: () => (caught === null ? null : EXIT_CODES[caught]),
    release() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
