import type { Engine } from "../docker/engine.ts";
import { explainEnd } from "./docker-end.ts";
import { END_AT_ONCE } from "./sandbox.ts";
import type { SandboxHandle } from "./sandbox.ts";

/** A way out that ended by itself: whoever works behind it would wait for answers that cannot come. */
export interface EgressLoss {
  readonly signal: AbortSignal;
  why(): string;
}

/** `watch(container)` is to be called when what runs in a side-car has ended; before `closing` that is a loss. */
export function watchEgress(engine: Engine, closing: AbortSignal) {
  const lost = new AbortController();
  let why = "";
  const tell = (how: string): void => {
    why = `the side-car for the network ended: ${how}`;
    if (!closing.aborted) lost.abort(END_AT_ONCE);
  };
  const watch = (container: string) => (): void => {
    if (closing.aborted) return;
    void explainEnd(engine, container, null, { count: 0 }).then(
      ({ end, detail }) => tell(end === "oom" ? "out of memory" : (detail ?? end)),
      (error: unknown) => tell(String(error)),
    );
  };
  const loss: EgressLoss = { signal: lost.signal, why: () => why };
  return { loss, watch };
}

/** What runs when the way out is lost is ended, and told as a sandbox that was lost; so is what comes after. */
export function untilEgressIsLost(
  run: SandboxHandle["exec"],
  loss: EgressLoss | null,
): SandboxHandle["exec"] {
  if (loss === null) return run;
  return async (plan, signal, onLine) => {
    const result = await run(plan, AbortSignal.any([signal, loss.signal]), onLine);
    const isLost = result.end === "canceled" && loss.signal.aborted && !signal.aborted;
    return isLost ? { ...result, end: "lost", detail: loss.why() } : result;
  };
}
