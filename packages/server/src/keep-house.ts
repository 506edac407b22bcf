import type { Logger } from "@multiverse/agents/log";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import type { Clock } from "@multiverse/protocol/clock";
import type { Fact } from "@multiverse/protocol/fact";
import { tidyRuns } from "./files/tidy-runs.ts";

export interface HouseOptions {
  readonly workspace: Pick<Workspace, "id" | "dir" | "state" | "damage" | "subscribe">;
  readonly keepAttempts: () => number;
  /** Takes away what dead runs of the workspace have left in Docker. */
  readonly cleanUp: (workspaceId: string) => Promise<unknown>;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Logger;
}

/** Finished attempts after which old ones are looked for. */
const TIDY_EVERY = 50;
/** A container that a dying run had asked for may come into being after it: it is looked for once more. */
const SECOND_LOOK_MS = 10_000;

/** Keeps what a workspace leaves behind within its limits, from its opening until the function it gives is called. */
export function keepHouse({ workspace, keepAttempts, cleanUp, clock, log }: HouseOptions) {
  const closed = new AbortController();
  let finished = 0;
  const complain = (what: string) => (error: unknown) =>
    log.warn(what, { workspaceId: workspace.id, error });
  const tidy = (): void => {
    finished = 0;
    if (workspace.damage) return; // a state that may lack something must not decide what can go
    void tidyRuns(workspace.dir, workspace.state, keepAttempts()).catch(
      complain("old attempts could not be removed"),
    );
  };
  const sweep = (): Promise<unknown> =>
    cleanUp(workspace.id).catch(complain("containers of dead runs could not be removed"));
  let sweeping: Promise<unknown> | null = null;
  const sweepTwice = async (): Promise<void> => {
    await sweep();
    sweeping = null; // whoever dies from now on is looked after anew
    await clock.sleep(SECOND_LOOK_MS, closed.signal).then(sweep, () => {});
  };
  const hear = (facts: readonly Fact[]): void => {
    for (const fact of facts) {
      if (fact.kind !== "attempt.finished") continue;
      finished += 1;
      if (fact.payload.result === null) sweeping ??= sweepTwice();
    }
    if (finished >= TIDY_EVERY) tidy();
  };
  tidy();
  void sweep();
  const unsubscribe = workspace.subscribe(hear);
  return (): void => {
    unsubscribe();
    closed.abort();
  };
}
