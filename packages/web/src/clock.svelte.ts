/** The time in whole seconds of a page that is looked at; a hidden one does not tick. */
class Clock {
  now = $state(Date.now());
  readonly #listeners = new Set<(now: number) => void>();

  start(): () => void {
    const timer = setInterval(() => {
      if (document.hidden) return;
      this.now = Date.now();
      for (const listener of this.#listeners) listener(this.now);
    }, 1_000);
    return () => clearInterval(timer);
  }

  onTick(listener: (now: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
export const clock = new Clock();
