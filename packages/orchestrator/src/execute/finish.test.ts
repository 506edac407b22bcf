import { expect, test } from "vitest";
import type { NewFact } from "@multiverse/protocol/fact";
import { RUN_REASONS, type RunResult } from "@multiverse/protocol/run-result";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { find } from "@multiverse/protocol/find";
import { saveState } from "@multiverse/protocol/saved-state";
import { statusOf } from "@multiverse/protocol/status";
import { failedResult, runResult } from "../testing/fake-runs.ts";
import { after, AT, commit, planOf, started } from "../testing/states.ts";
import type { RunEnd } from "../ports.ts";
import { finishFacts, type Finish } from "./finish.ts";

const TASK = "task-0001";
const now = new Date(AT);
const running = started(planOf({ build: [], after: ["build"] }), TASK);

let ids = 0;
const finish = (changes: Partial<Finish> = {}): Finish => ({
  attemptId: `att-${TASK}`,
  result: runResult(TASK),
  end: { how: "finished", stderrTail: "" },
  stopping: null,
  now,
  newId: (prefix) => `${prefix}-${(ids += 1)}`,
  random: () => 0.5,
  ...changes,
});
const ended = (state: WorkspaceState, changes: Partial<Finish> = {}) =>
  commit(state, finishFacts(state, finish(changes)));
const summary = (state: WorkspaceState) => {
  const task = find(state.tasks, TASK);
  const { attemptCount, lostCount, infraCount, retryCause, progress } = task;
  return {
    progress,
    status: statusOf(state, task, now.getTime()),
    node: state.runtimes.get(TASK)?.status,
    attempt: state.attempts.get(`att-${TASK}`)?.status,
    counts: [attemptCount, lostCount, infraCount],
    retryCause,
    backlog: [...state.backlog.values()].map((item) => item.type),
  };
};
const counted = (
  state: WorkspaceState,
  cause: "failure" | "lost" | "infrastructure",
  n: number,
) => {
  const retry: NewFact = {
    kind: "task.retry_scheduled",
    payload: { taskId: TASK, retryAt: AT, reason: "", cause },
  };
  return started(
    commit(
      state,
      Array.from({ length: n }, () => retry),
    ),
    TASK,
  );
};
const died: RunEnd = { how: "died", stderrTail: "Segmentation fault" };
const lost: RunEnd = { how: "lost", stderrTail: "" };
const unstarted: RunEnd = { how: "unstarted", stderrTail: "spawn EAGAIN" };

interface Case {
  readonly what: string;
  readonly from?: WorkspaceState;
  readonly finish: Partial<Finish>;
  readonly expected: ReturnType<typeof summary>;
}
const retrying = (cause: string, counts: number[], attempt = "FAILED") => ({
  progress: "waiting",
  status: "RETRY_WAIT",
  node: "planned",
  attempt,
  counts,
  retryCause: cause,
  backlog: [],
});
const givenUp = (counts: number[], attempt = "FAILED") => ({
  progress: "failed",
  status: "FAILED",
  node: "blocked",
  attempt,
  counts,
  retryCause: null,
  backlog: ["FAILURE"],
});
const blockedBy = (type: string, counts = [0, 0, 0]) => ({
  progress: "waiting",
  status: "BLOCKED",
  node: "blocked",
  attempt: "FAILED",
  counts,
  retryCause: null,
  backlog: [type],
});
const done = (node: string) => ({
  progress: "succeeded",
  status: "SUCCEEDED",
  node,
  attempt: "SUCCEEDED",
  counts: [1, 0, 0],
  retryCause: null,
  backlog: [],
});
const withReason = (reason: RunResult["reason"], changes: Partial<RunResult> = {}) => ({
  result: { ...failedResult(TASK, reason), ...changes },
});
const unchecked = { overall: "unknown", commands: [], warnings: [] } as const;
const question = { text: "Red or blue?", options: ["red", "blue"] };

const CASES = [
  { what: "success with proof", finish: {}, expected: done("verified") },
  {
    what: "success without proof",
    finish: {
      result: runResult(TASK, { validation: { ...unchecked, commands: [], warnings: [] } }),
    },
    expected: done("implemented"),
  },
  {
    what: "success although it was being stopped",
    finish: { stopping: "execution" },
    expected: done("verified"),
  },
  ...(["max_loops", "meta_error", "unknown_action", "no_progress", "aborted", null] as const).map(
    (reason) => ({
      what: `a first failure (${reason})`,
      finish: withReason(reason),
      expected: retrying("failure", [1, 0, 0]),
    }),
  ),
  {
    what: "a third failure",
    from: counted(running, "failure", 2),
    finish: withReason("max_loops"),
    expected: givenUp([3, 0, 0]),
  },
  {
    what: "a runner that died",
    finish: { result: null, end: died },
    expected: retrying("failure", [1, 0, 0]),
  },
  {
    what: "a runner that wrote nonsense",
    finish: { result: null, end: { how: "malformed", stderrTail: "" } },
    expected: retrying("failure", [1, 0, 0]),
  },
  {
    what: "a runner that finished without a result",
    finish: { result: null, end: { how: "finished", stderrTail: "" } },
    expected: retrying("failure", [1, 0, 0]),
  },
  {
    what: "a lost runner",
    finish: { result: null, end: lost },
    expected: { ...retrying("lost", [0, 1, 0], "LOST"), status: "PENDING" },
  },
  {
    what: "a runner lost for the third time",
    from: counted(running, "lost", 2),
    finish: { result: null, end: lost },
    expected: givenUp([1, 2, 0], "LOST"),
  },
  {
    what: "a run that somebody else cancelled",
    finish: withReason("canceled"),
    expected: { ...retrying("lost", [0, 1, 0], "CANCELED"), status: "PENDING" },
  },
  {
    what: "a rate limit",
    finish: withReason("rate_limited", {
      retryAt: new Date(now.getTime() + 90_000).toISOString(),
    }),
    expected: retrying("rate_limit", [0, 0, 0]),
  },
  {
    what: "a missing login",
    finish: withReason("login_missing", { status: "blocked" }),
    expected: blockedBy("BLOCKER"),
  },
  {
    what: "too little memory",
    finish: withReason("oom"),
    expected: blockedBy("BLOCKER"),
  },
  {
    what: "sandbox trouble",
    finish: withReason("sandbox_error"),
    expected: retrying("infrastructure", [0, 0, 1]),
  },
  {
    what: "sandbox trouble for the third time",
    from: counted(running, "infrastructure", 2),
    finish: withReason("sandbox_error"),
    expected: blockedBy("BLOCKER", [0, 0, 2]),
  },
  {
    what: "a runner that could not be started",
    finish: { result: null, end: unstarted },
    expected: retrying("infrastructure", [0, 0, 1], "LOST"),
  },
  {
    what: "a runner that could not be started for the third time",
    from: counted(running, "infrastructure", 2),
    finish: { result: null, end: unstarted },
    expected: { ...blockedBy("BLOCKER", [0, 0, 2]), attempt: "LOST" },
  },
  ...(["invalid_task", "budget_exceeded"] as const).map((reason) => ({
    what: `an end that trying again cannot change (${reason})`,
    finish: withReason(reason),
    expected: givenUp([1, 0, 0]),
  })),
  {
    what: "a question",
    finish: { result: runResult(TASK, { status: "blocked", state: "NEEDS_REVIEW", question }) },
    expected: blockedBy("QUESTION"),
  },
  {
    what: "one task cancelled",
    finish: { ...withReason("canceled"), stopping: "task" },
    expected: {
      progress: "canceled",
      status: "CANCELED",
      node: "planned",
      attempt: "CANCELED",
      counts: [0, 0, 0],
      retryCause: null,
      backlog: [],
    },
  },
  {
    what: "the whole execution stopped",
    finish: { result: null, end: died, stopping: "execution" },
    expected: {
      progress: "waiting",
      status: "PENDING",
      node: "planned",
      attempt: "CANCELED",
      counts: [0, 0, 0],
      retryCause: null,
      backlog: [],
    },
  },
] as const satisfies readonly (Omit<Case, "expected"> & { expected: unknown })[];

test.each(CASES.map((row) => [row.what, row] as const))("after %s", (_, row) => {
  const from = "from" in row ? row.from : running;
  expect(summary(ended(from, row.finish))).toEqual(row.expected);
});

test("every reason a run can end with has its row", () => {
  const reasons = CASES.flatMap(({ finish: { result } }: { finish: Partial<Finish> }) =>
    result ? [result.reason] : [],
  );
  expect(new Set(reasons)).toEqual(new Set([...RUN_REASONS, null]));
});

test("a provider's own time is kept, an absurd one is looked at again within the hour", () => {
  const retryIn = (retryAt: string | null) => {
    const state = ended(running, withReason("rate_limited", { retryAt }));
    return Date.parse(find(state.tasks, TASK).retryAt ?? "") - now.getTime();
  };
  expect(retryIn(new Date(now.getTime() + 90_000).toISOString())).toBe(90_000);
  expect(retryIn(null)).toBe(60_000);
  expect(retryIn("2058-01-01T00:00:00.000Z")).toBe(3_600_000);
  expect(retryIn("2020-01-01T00:00:00.000Z")).toBe(0);
});

test("the gap between attempts grows: 5 s, then 10 s", () => {
  const gap = (failures: number) => {
    const state = ended(counted(running, "failure", failures), withReason("max_loops"));
    return Date.parse(find(state.tasks, TASK).retryAt ?? "") - now.getTime();
  };
  expect([gap(0), gap(1)]).toEqual([5_000, 10_000]);
});

test("a failure in the backlog says what a person needs to decide", () => {
  const state = ended(counted(running, "failure", 2), {
    result: { ...failedResult(TASK), artifacts: { files: [], note: ".multiverse/note.md" } },
  });
  expect([...state.backlog.values()][0]).toMatchObject({
    taskId: TASK,
    title: "build failed",
    description: "it did not work",
    priority: 4,
    metadata: { attempts: 3, note: ".multiverse/note.md", reason: "max_loops" },
  });
});

test("the runner's last words are the error where there is no result", () => {
  const state = ended(running, { result: null, end: died });
  expect(state.attempts.get(`att-${TASK}`)?.errorSummary).toBe(
    "agent-runner ended without a result: Segmentation fault",
  );
});

test("passing after a failed attempt of the same tree is flaky, after a change it is not", () => {
  const commands = [{ command: "npm test", exitCode: 0, durationMs: 1 }];
  const validation = { overall: "passed", commands, warnings: [] } as const;
  const failedBefore = started(ended(running, withReason("max_loops")), TASK);
  const pass = (files: string[]) =>
    ended(failedBefore, {
      result: runResult(TASK, {
        validation: { ...validation, commands: [...commands], warnings: [] },
        artifacts: { files, note: null },
      }),
    }).runtimes.get(TASK)?.verification;
  expect(pass([])).toBe("flaky");
  expect(pass(["src/a.ts"])).toBe("passed");
});

const plan4 = planOf({ a: [], b: [], c: [], d: [] });
const allRunning = ["task-0001", "task-0002", "task-0003", "task-0004"].reduce(
  (state, id) => started(state, id, { tool: `the worker of ${id}` }),
  plan4,
);
const failWith = (state: WorkspaceState, id: string, result: RunResult) =>
  commit(state, finishFacts(state, finish({ attemptId: `att-${id}`, result })));

test("one thing that is missing outside is one item, however many tasks it stops", () => {
  const noLogin = (id: string, hint: string) =>
    runResult(id, {
      status: "blocked",
      state: "FAILED",
      reason: "login_missing",
      summary: `codex said 401 to ${id}`,
      hint,
    });
  let state = failWith(allRunning, "task-0001", noLogin("task-0001", "Run `codex login`."));
  state = failWith(state, "task-0002", noLogin("task-0002", "Run `codex login`."));
  state = failWith(state, "task-0003", noLogin("task-0003", "Run `claude login`."));
  const items = [...state.backlog.values()];
  expect(items.map((item) => item.type)).toEqual(["BLOCKER", "BLOCKER"]);
  expect(state.tasks.get("task-0001")?.waitingFor).toBe(state.tasks.get("task-0002")?.waitingFor);
  expect(state.tasks.get("task-0003")?.waitingFor).not.toBe(
    state.tasks.get("task-0001")?.waitingFor,
  );
});

test("a result of an earlier epoch is ignored and says so", () => {
  const restored = commit(running, [
    { kind: "snapshot.restored", payload: { snapshotId: "s", stateAt: saveState(running) } },
  ]);
  const facts = finishFacts(restored, finish());
  expect(facts.map((fact) => fact.kind)).toEqual(["attempt.finished", "task.result_ignored"]);
  expect(find(commit(restored, facts).tasks, TASK).progress).toBe("waiting");
});

test("a result that the task no longer waits for is ignored, also after the task came back", () => {
  const deleted = after(running, { op: "delete", taskId: TASK, cascade: false });
  expect(finishFacts(deleted, finish()).map((fact) => fact.kind)).toEqual(["task.result_ignored"]);
  const back = started(running, TASK, { attemptId: "att-second" });
  const facts = finishFacts(back, finish());
  expect(facts.map((fact) => fact.kind)).toEqual(["attempt.finished", "task.result_ignored"]);
  expect(find(commit(back, facts).tasks, TASK).currentAttempt).toBe("att-second");
});

test("an attempt that nobody knows changes nothing", () => {
  expect(finishFacts(running, finish({ attemptId: "att-unknown" }))).toEqual([]);
});
