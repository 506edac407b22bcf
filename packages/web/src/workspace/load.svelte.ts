/** Something fetched for a panel: it is loading, there, or could not be had. */
export class Load<T> {
  value: T | undefined = $state.raw();
  error: unknown = $state.raw(null);
  loading = $state(false);
  #turn = 0;

  /** The last request wins; an answer to an earlier one is dropped. */
  async from(fetch: () => Promise<T>): Promise<void> {
    const turn = ++this.#turn;
    this.loading = true;
    this.error = null;
    try {
      const value = await fetch();
      if (turn === this.#turn) this.value = value;
    } catch (error) {
      if (turn === this.#turn) this.error = error;
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }
}
