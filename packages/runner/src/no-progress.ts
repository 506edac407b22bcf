const RUNS = 3;

/** Watches for a worker that goes round in circles: nothing changed on disk and the same criteria fail, run after run. */
export function createProgressGuard() {
  let idleRuns = 0;
  let lastFailing: string | null = null;
  return {
    /** After the validation that followed a worker run. True when it is time to stop. */
    isStuck(changedFiles: number, failing: readonly string[]): boolean {
      const key = [...failing].sort().join("\n");
      if (changedFiles > 0) idleRuns = 0;
      else idleRuns = key === lastFailing || idleRuns === 0 ? idleRuns + 1 : 1;
      lastFailing = key;
      return idleRuns >= RUNS;
    },
  };
}
