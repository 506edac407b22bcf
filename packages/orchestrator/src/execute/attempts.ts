import type { Attempt } from "@multiverse/protocol/attempt";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEvent } from "@multiverse/protocol/run-event";
import type { RunResult } from "@multiverse/protocol/run-result";
import type { RunningProcess } from "../orchestrator.ts";
import type { Ports, RunEnd } from "../ports.ts";
import type { Workspace } from "../store/workspace.ts";
import { finishFacts } from "./finish.ts";
import { runSignals } from "./run-signals.ts";

/** Between tries to record a result while the disk is full. */
const STORAGE_RETRY_MS = 1_000;

export interface AttemptHooks {
  onEvent(attempt: Attempt, event: RunEvent): void;
  onEnd(attempt: Attempt, result: RunResult | null): void;
}

/** The live attempts of a workspace: each follows one run from start (or adoption) to the facts at its end. */
export interface Attempts {
  start(attempt: Attempt, taskYaml: string): void;
  /** Hears a run again that an earlier process of ours started; one that is gone ends as lost. */
  adopt(attempt: Attempt): void;
  /** Resolves when the attempt's end is recorded. */
  stop(attemptId: string, why: "task" | "execution"): Promise<void>;
  stopAll(): Promise<void>;
  /** Stops listening; the runs go on. */
  detach(): Promise<void>;
  readonly running: readonly RunningProcess[];
}

interface Live {
  readonly attempt: Attempt;
  readonly done: Promise<void>;
  stopping: "task" | "execution" | null;
  /** The run is over and its end is being recorded: nothing is left to stop. */
  ended: boolean;
  phase: string;
  tool: string;
  model: string;
  containerId: string | null;
}

export function superviseAttempts(
  workspace: Workspace,
  ports: Ports,
  hooks: AttemptHooks,
): Attempts {
  const live = new Map<string, Live>();
  const detached = new AbortController();

  function track(attempt: Attempt, run: (entry: Live) => Promise<void>): void {
    const entry: { -readonly [K in keyof Live]: Live[K] } = {
      attempt,
      done: Promise.resolve(),
      stopping: null,
      ended: false,
      phase: "starting",
      tool: attempt.tool,
      model: attempt.model,
      containerId: null,
    };
    live.set(attempt.id, entry);
    entry.done = run(entry).finally(() => live.delete(attempt.id));
  }

  async function follow(entry: Live): Promise<void> {
    let result: RunResult | null = null;
    let end: RunEnd;
    try {
      const events = ports.runs.follow(entry.attempt.id, detached.signal);
      let step = await events.next();
      for (; !step.done; step = await events.next()) {
        if (step.value.type === "finished") result = step.value.result;
        hear(entry, step.value);
      }
      end = step.value;
    } catch (error) {
      end = { how: "died", stderrTail: error instanceof Error ? error.message : String(error) };
    }
    if (!detached.signal.aborted) await record(entry, result, end);
  }

  function hear(entry: Live, event: RunEvent): void {
    if (event.type === "state") entry.phase = event.to;
    if (event.type === "container")
      entry.containerId =
        event.phase === "stopped" ? null : (event.containerId ?? entry.containerId);
    if (event.type === "worker") Object.assign(entry, { tool: event.tool, model: event.model });
    const taskTitle =
      workspace.state.nodes.get(entry.attempt.taskId)?.title ?? entry.attempt.taskId;
    for (const signal of runSignals(event, {
      taskId: entry.attempt.taskId,
      taskTitle,
      attemptId: entry.attempt.id,
    }))
      ports.signal(signal);
    hooks.onEvent(entry.attempt, event);
  }

  /** The end must be recorded, so a full disk is waited out; other storage failures end the process elsewhere. */
  async function record(entry: Live, result: RunResult | null, end: RunEnd): Promise<void> {
    entry.ended = true;
    hooks.onEnd(entry.attempt, result);
    for (;;) {
      try {
        const { clock, newId, random } = ports;
        await workspace.commit(
          (state) =>
            finishFacts(state, {
              attemptId: entry.attempt.id,
              result,
              end,
              stopping: entry.stopping,
              now: clock.now(),
              newId,
              random,
            }),
          { by: entry.attempt.agentId },
        );
        return;
      } catch (error) {
        if (!(error instanceof MultiverseError) || error.code !== "STORAGE_FULL") throw error;
        ports.log("error", "the end of an attempt waits for room on the disk", {
          attempt_id: entry.attempt.id,
        });
        await ports.clock.sleep(STORAGE_RETRY_MS, detached.signal);
      }
    }
  }

  const report = (entry: Live) => (error: unknown) => {
    if (!detached.signal.aborted)
      ports.log("error", "an attempt's end could not be recorded", {
        attempt_id: entry.attempt.id,
        error: String(error),
      });
  };

  return {
    start(attempt, taskYaml) {
      track(attempt, async (entry) => {
        const { id: attemptId, taskId, epoch, traceId } = attempt;
        try {
          await ports.runs.start({ attemptId, taskId, epoch, traceId, taskYaml });
        } catch (error) {
          const stderrTail = error instanceof Error ? error.message : String(error);
          return record(entry, null, { how: "lost", stderrTail }).catch(report(entry));
        }
        if (!detached.signal.aborted) await follow(entry).catch(report(entry));
      });
    },
    adopt: (attempt) => track(attempt, (entry) => follow(entry).catch(report(entry))),
    async stop(attemptId, why) {
      const entry = live.get(attemptId);
      if (!entry) return;
      if (!entry.ended) {
        entry.stopping ??= why;
        await ports.runs.stop(attemptId);
      }
      await entry.done;
    },
    async stopAll() {
      await Promise.all([...live.keys()].map((id) => this.stop(id, "execution")));
    },
    async detach() {
      detached.abort();
      await Promise.all([...live.values()].map((entry) => entry.done));
    },
    get running() {
      return [...live.values()].map(({ attempt, phase, tool, model, containerId }) => ({
        taskId: attempt.taskId,
        attemptId: attempt.id,
        phase,
        tool,
        model,
        startedAt: attempt.startedAt,
        containerId,
      }));
    },
  };
}
