import { expect } from "vitest";
import { apply } from "@multiverse/protocol/apply/apply";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import { factFromWire, factToWire, payloadProblem } from "@multiverse/protocol/fact-wire";
import type { FactWire } from "@multiverse/protocol/fact";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { defaultPools } from "../execute/capacity.ts";
import { patchToFacts } from "../plan/patch-to-facts.ts";

/** States made of facts, without a store: what pure code is tested on. */

export const AT = "2026-01-01T00:00:00.000Z";
export const origin = { text: "a wish", by: "meta-agent", at: AT, projectRoot: "/p" };

/** Facts as the store would stamp them, through the wire form and back, so that what is lost there is lost here. */
export function commit(
  state: WorkspaceState,
  facts: readonly NewFact[],
  { at = AT, by = "" } = {},
): WorkspaceState {
  return apply(state, stamped(state, facts, { at, by }));
}

export function stamped(
  state: WorkspaceState,
  facts: readonly NewFact[],
  { at = AT, by = "" } = {},
): Fact[] {
  const lines = facts.map((fact, i) => {
    expect(payloadProblem(fact)).toBeUndefined();
    const seq = state.seq + i + 1;
    const stamp = { v: 1, seq, id: `act-${seq}`, at, workspaceId: "ws", i, n: facts.length };
    return factToWire({ by, ...fact, ...stamp, tx: `tx-${state.seq}` } as Fact);
  });
  return (JSON.parse(JSON.stringify(lines)) as FactWire[]).map(factFromWire);
}

export const emptyPlan: WorkspaceState = commit(emptyState, [
  { kind: "workspace.created", payload: { projectRoot: "/p", name: "p", wbsId: "wbs" } },
]);

type Create = Extract<PlanOperation, { op: "create" }>;

export const create = (title: string, more: Partial<Create> = {}): PlanOperation => ({
  op: "create",
  title,
  ...more,
});

/** The state after a plan change. */
export const after = (state: WorkspaceState, ...operations: PlanOperation[]): WorkspaceState =>
  commit(state, patchToFacts(state, { operations, potentialConflicts: [] }, origin).facts);

/** A plan as `{ title: titles it depends on }`, in that order; ids are task-0001 and so on. */
export const planOf = (shape: Readonly<Record<string, readonly string[]>>): WorkspaceState =>
  after(
    emptyPlan,
    ...Object.entries(shape).map(([title, dependencies]) =>
      create(title, { tempId: title, dependencies: [...dependencies] }),
    ),
  );

/** The state with attempt `att-<task id>` of the task under way. */
export function started(
  state: WorkspaceState,
  taskId: string,
  { attemptId = `att-${taskId}`, agentId = "agent:mock", tool = "mock", at = AT } = {},
): WorkspaceState {
  const number = (state.tasks.get(taskId)?.startCount ?? 0) + 1;
  return commit(
    state,
    [
      {
        kind: "attempt.started",
        payload: {
          attempt: {
            id: attemptId,
            taskId,
            number,
            epoch: state.epoch,
            poolId: state.tasks.get(taskId)?.poolId ?? "default",
            agentId,
            tool,
            model: "",
            traceId: "trace",
            startedAt: at,
          },
        },
      },
      { kind: "task.started", payload: { taskId, attemptId } },
    ],
    { at },
  );
}

/** A machine with room for eight tasks at once and nothing in their way. */
export const conditions: Conditions = {
  total: 8,
  limitedBy: "setting",
  pools: [...defaultPools],
  defaultAgent: "local",
  parallel: "always",
  gate: { status: "open", until: null },
  live: [],
};
