import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fact, NewFact } from "../fact.ts";
import { factFromWire, factToWire, payloadProblem } from "../fact-wire.ts";
import { buildIndex } from "../index-state.ts";
import { planProblems } from "../plan-problems.ts";
import { canonicalJson, loadState, saveState } from "../saved-state.ts";
import { emptyState, type Index, type WorkspaceState } from "../state.ts";
import { statusOf } from "../status.ts";
import { apply } from "./apply.ts";
import { sampleNode } from "../testing/samples.ts";
import { happening, type Happening } from "./testing/happening.ts";

const text = (state: WorkspaceState): string => canonicalJson(saveState(state));

const indexText = (index: Index): string =>
  canonicalJson({
    dependants: index.dependants.map((ids) => [...ids].sort()).toJS(),
    unmet: index.unmet.toJS(),
    runnable: [...index.runnable].sort(),
    running: [...index.running].sort(),
    folded: index.folded.toJS(),
    extraTasks: index.extraTasks.map((ids) => [...ids].sort()).toJS(),
    attemptsOf: index.attemptsOf.map((ids) => [...ids].sort()).toJS(),
  });

function stamp(fact: NewFact, seq: number): Fact {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
  return {
    ...fact,
    v: 1,
    seq,
    id: `act-${seq}`,
    at,
    workspaceId: "ws",
    by: fact.by ?? "test",
    tx: `tx-${seq}`,
    i: 0,
    n: 1,
  };
}

/** Turns happenings into facts that fit the state they meet, and applies them one by one. */
function play(happenings: readonly Happening[]): { facts: Fact[]; states: WorkspaceState[] } {
  const created: NewFact = {
    kind: "workspace.created",
    payload: { projectRoot: "/p", name: "p", wbsId: "wbs-1" },
  };
  const facts: Fact[] = [stamp(created, 1)];
  const states = [apply(emptyState, facts)];
  for (const one of happenings) {
    const before = states.at(-1) ?? emptyState;
    const fresh = one(before).map((fact, i) => stamp(fact, before.seq + 1 + i));
    if (fresh.length === 0) continue;
    facts.push(...fresh);
    states.push(apply(before, fresh));
  }
  return { facts, states };
}

const history = fc.array(happening, { minLength: 1, maxLength: 60 });

describe("apply, whatever happens", () => {
  it("gives the same state in one go, fact by fact and in any parts", () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(60), { maxLength: 5 }), (happenings, cuts) => {
        const { facts, states } = play(happenings);
        const wanted = text(states.at(-1) ?? emptyState);
        expect(text(apply(emptyState, facts))).toBe(wanted);
        let parts = emptyState;
        let from = 0;
        for (const cut of [...cuts.map((c) => Math.min(c, facts.length)), facts.length].sort(
          (a, b) => a - b,
        )) {
          parts = apply(parts, facts.slice(from, cut));
          from = Math.max(from, cut);
        }
        expect(text(parts)).toBe(wanted);
      }),
    );
  });

  it("gives the same state from facts that went through the disk", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        const { facts, states } = play(happenings);
        const read = facts.map((fact) =>
          factFromWire(
            JSON.parse(JSON.stringify(factToWire(fact))) as ReturnType<typeof factToWire>,
          ),
        );
        expect(text(apply(emptyState, read))).toBe(text(states.at(-1) ?? emptyState));
      }),
    );
  });

  it("keeps the index as if it were built from scratch", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        for (const state of play(happenings).states)
          expect(indexText(state.index)).toBe(indexText(buildIndex(state)));
      }),
    );
  });

  it("keeps the plan a tree without circles or dangling references", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        for (const state of play(happenings).states) expect(planProblems(state)).toEqual([]);
      }),
    );
  });

  it("never touches an earlier state", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        const { facts, states } = play(happenings);
        const before = states.map(text);
        apply(emptyState, facts);
        expect(states.map(text)).toEqual(before);
      }),
    );
  });

  it("leaves a state that can be saved and loaded without loss", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        const state = play(happenings).states.at(-1) ?? emptyState;
        const again = loadState(
          JSON.parse(JSON.stringify(saveState(state))) as ReturnType<typeof saveState>,
        );
        expect(text(again)).toBe(text(state));
        expect(indexText(again.index)).toBe(indexText(state.index));
      }),
    );
  });

  it("only ever gets payloads that the schemas take", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        for (const fact of play(happenings).facts) expect(payloadProblem(fact)).toBeUndefined();
      }),
    );
  });

  it("calls a task READY only if all it depends on is done and execution runs", () => {
    fc.assert(
      fc.property(history, (happenings) => {
        const state = play(happenings).states.at(-1) ?? emptyState;
        for (const task of state.tasks.values()) {
          if (statusOf(state, task, Date.UTC(2027, 0, 1)) !== "READY") continue;
          expect(state.execution.status === "RUNNING" || task.requested).toBe(true);
          const open = (state.nodes.get(task.nodeId)?.dependencies ?? []).filter((id) => {
            const status = state.runtimes.get(id)?.status;
            const skipped = state.tasks.get(id)?.dependantsProceed === true;
            return status !== "implemented" && status !== "verified" && !skipped;
          });
          expect(open).toEqual([]);
        }
      }),
    );
  });
});

describe("apply costs what changes", () => {
  /** A plan of many nodes under the root. */
  function bigPlan(count: number): WorkspaceState {
    const { states } = play(
      Array.from(
        { length: count },
        (_, i) => (state: WorkspaceState) => createNode(`n-${i}`, state),
      ),
    );
    return states.at(-1) ?? emptyState;
  }
  const createNode = (id: string, state: WorkspaceState): NewFact[] =>
    state.nodes.has(id)
      ? []
      : [
          {
            kind: "node.created",
            payload: { node: sampleNode(id), parentId: "node-root", index: 0 },
          },
        ];

  it("a change leaves every other record, and every map it does not concern, the very same object", () => {
    const before = bigPlan(200);
    const after = apply(before, [
      stamp(
        { kind: "node.updated", payload: { nodeId: "n-7", changes: { title: "x" } } },
        before.seq + 1,
      ),
    ]);
    expect(after.nodes).not.toBe(before.nodes);
    for (const name of [
      "runtimes",
      "tasks",
      "attempts",
      "backlog",
      "tests",
      "sessions",
      "index",
    ] as const) {
      expect({ [name]: after[name] === before[name] }).toEqual({ [name]: true });
    }
    const changed = [...after.nodes]
      .filter(([id, node]) => node !== before.nodes.get(id))
      .map(([id]) => id);
    expect(changed).toEqual(["n-7"]);
  });

  it("a chat message touches no part of the plan", () => {
    const before = bigPlan(50);
    const message = {
      id: "m",
      sessionId: "s",
      role: "user",
      content: "",
      timestamp: "2026-01-01T00:00:00.000Z",
      generatedTasks: [],
      questions: [],
    } as const;
    const payload = { message: { ...message, generatedTasks: [], questions: [] } };
    const after = apply(before, [stamp({ kind: "chat.message", payload }, before.seq + 1)]);
    for (const name of [
      "nodes",
      "runtimes",
      "tasks",
      "attempts",
      "backlog",
      "tests",
      "index",
    ] as const) {
      expect({ [name]: after[name] === before[name] }).toEqual({ [name]: true });
    }
  });
});
