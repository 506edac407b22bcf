import { MultiverseError } from "@multiverse/protocol/error";
import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { RunningProcess } from "../orchestrator.ts";
import type { Ports } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";
import { superviseAttempts } from "./attempts.ts";
import { trackCandidates } from "./candidates.ts";
import { factSignals } from "./fact-signals.ts";
import { rateGate } from "./rate-gate.ts";
import { schedule, type Start } from "./schedule.ts";
import type { Capacity } from "./slots.ts";
import { startFacts } from "./start-facts.ts";
import { taskYaml, type TaskSpecSettings } from "./task-spec.ts";

/** How long the loop waits before it looks again after the disk was full. */
const STORAGE_RETRY_MS = 2_000;

export interface LoopSettings extends TaskSpecSettings {
  readonly parallel: "safe" | "always";
}

export interface LoopOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  /** Asked every turn, since free memory changes. */
  readonly capacity: () => Capacity;
  readonly settings: () => LoopSettings;
}

/**
 * Starts what can run. There is one turn at a time, and it is taken when a fact was published, when a retry or the rate
 * gate is due, or when room on the disk is looked for again; nothing polls.
 *
 *   idle ──fact, timer──▶ turn: choose on the newest state, record the starts in one commit, spawn ──▶ idle
 *
 * Choosing happens inside the commit, so nothing starts after a pause was acknowledged.
 */
export interface Loop {
  stopAttempt(attemptId: string): Promise<void>;
  stopAll(): Promise<void>;
  readonly running: readonly RunningProcess[];
  /** No new work; attempts are stopped, or left to be adopted. */
  close(options: { detach: boolean }): Promise<void>;
}

export function runLoop({ workspace, ports, capacity, settings }: LoopOptions): Loop {
  const { clock, newId } = ports;
  const now = () => clock.now().getTime();
  const candidates = trackCandidates(workspace.state);
  const gate = rateGate(workspace.state, now());
  let closed = false;
  let turning: Promise<void> | null = null;
  let again = false;
  let seen = workspace.state;
  let timer: AbortController | null = null;

  const attempts = superviseAttempts(workspace, ports, {
    onEvent(attempt, event) {
      const answered =
        (event.type === "worker" || event.type === "meta") && event.phase === "completed";
      if (answered && gate.status(now()) !== "open") {
        gate.proven(attempt.id);
        wake();
      }
    },
    onEnd(attempt, result) {
      if (result?.reason === "rate_limited")
        gate.limited(result.retryAt ? Date.parse(result.retryAt) : now() + 60_000, now());
      else gate.proven(attempt.id);
    },
  });

  function choose(state: WorkspaceState): Start[] {
    const status = gate.status(now());
    const input = { now: now(), capacity: capacity(), parallel: settings().parallel, gate: status };
    return schedule(state, { ...input, candidates: candidates.inOrder() });
  }

  function wake(): void {
    if (closed) return;
    again = true;
    turning ??= turns();
  }

  async function turns(): Promise<void> {
    // Facts of one burst are published one after the other: let them all arrive before choosing.
    await Promise.resolve();
    while (again && !closed) {
      again = false;
      await turn();
    }
    turning = null;
  }

  async function turn(): Promise<void> {
    const began = now();
    try {
      if (choose(workspace.state).length > 0) await startChosen();
      setTimer(nextTime(began));
    } catch (error) {
      const full = error instanceof MultiverseError && error.code === "STORAGE_FULL";
      ports.log("error", "nothing new can be started", { error: String(error) });
      if (full) setTimer(now() + STORAGE_RETRY_MS);
    }
  }

  async function startChosen(): Promise<void> {
    const at = clock.now().toISOString();
    const toolOf = ({ task }: Start) => task.runnerWorkerKind ?? settings().workerKind;
    const { facts, state } = await workspace.commit(
      (newest) => startFacts(newest, closed ? [] : choose(newest), at, toolOf, newId),
      {
        by: "scheduler",
      },
    );
    for (const fact of facts)
      if (fact.kind === "attempt.started") launch(fact.payload.attempt.id, state);
  }

  function launch(attemptId: string, state: WorkspaceState): void {
    const attempt = state.attempts.get(attemptId)!;
    const task = state.tasks.get(attempt.taskId)!;
    gate.started(attemptId, now());
    attempts.start(attempt, taskYaml(task, state.nodes.get(task.nodeId)!, settings()));
  }

  /** The next time anything is due, seen from before the choice: what fell due while choosing is looked at again. */
  function nextTime(since: number): number | null {
    const times = [candidates.nextRetryAt(since), gate.opensAt(since)].filter(
      (time) => time !== null,
    );
    return times.length > 0 ? Math.min(...times) : null;
  }

  function setTimer(at: number | null): void {
    timer?.abort();
    timer = null;
    if (at === null || closed) return;
    const mine = new AbortController();
    timer = mine;
    clock.sleep(Math.max(1, at - now()), mine.signal).then(wake, () => {}); // aborted: another time was set
  }

  function onFacts(facts: readonly Fact[], state: WorkspaceState): void {
    for (const signal of factSignals(seen, state, facts, now())) ports.signal(signal);
    seen = state;
    candidates.update(facts, state);
    for (const fact of facts) {
      // Finished by somebody else (its task was deleted): the process is no longer wanted.
      if (fact.kind === "attempt.finished" && fact.payload.status === "CANCELED")
        void attempts.stop(fact.payload.attemptId, "task");
      if (fact.kind === "snapshot.restored") void attempts.stopAll();
    }
    wake();
  }

  const unsubscribe = workspace.subscribe(onFacts);
  for (const id of workspace.state.index.running) {
    const attempt = workspace.state.attempts.get(
      workspace.state.tasks.get(id)?.currentAttempt ?? "",
    );
    if (attempt) attempts.adopt(attempt);
  }
  wake();

  return {
    stopAttempt: (attemptId) => attempts.stop(attemptId, "task"),
    stopAll: () => attempts.stopAll(),
    get running() {
      return attempts.running;
    },
    async close({ detach }) {
      closed = true;
      timer?.abort();
      await turning; // what was recorded as started is started, and then stopped or left like the rest
      if (detach) await attempts.detach();
      else await attempts.stopAll();
      unsubscribe();
    },
  };
}
