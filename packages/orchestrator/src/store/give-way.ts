/** Lets everyone else have a turn of the event loop. */
export const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work in steps, with everyone else's turns between them. Steps are counted, not timed, so that a run can be repeated. */
export async function inSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await giveWay();
  }
}

/** The same in one go, where nobody else is there. */
export function atOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
