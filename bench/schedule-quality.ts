import { existsSync, readFileSync } from "node:fs";
import { apply } from "@multiverse/protocol/apply/apply";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { Candidates } from "@multiverse/orchestrator/execute/candidates";
import { schedule } from "@multiverse/orchestrator/execute/schedule";
import { defaultPools } from "@multiverse/orchestrator/execute/capacity";
import { patchToFacts } from "@multiverse/orchestrator/plan/patch-to-facts";
import { seeded } from "@multiverse/orchestrator/store/simulation/random";
import type { Row } from "./row.ts";

/** A graph with known durations: each task's seconds and the places of its parents. */
interface Dag {
  readonly name: string;
  readonly tasks: readonly (readonly [seconds: number, parents: readonly number[]])[];
}

const RECORDED = new URL("../../shared/data/dags/workflows.json", import.meta.url);
const TARGETS: readonly [slots: number, target: number][] = [
  [8, 1.065],
  [16, 1.09],
];

/** Makespan of our scheduler in virtual time ÷ what no scheduler can beat, as a geometric mean over the graphs. */
export async function run(): Promise<Row[]> {
  const sets: [string, Dag[]][] = [["generated graphs", generated()]];
  if (existsSync(RECORDED))
    sets.unshift(["recorded workflows", JSON.parse(readFileSync(RECORDED, "utf8")) as Dag[]]);
  return sets.flatMap(([name, dags]) =>
    TARGETS.map(([slots, target]): Row => {
      const ratio = geometricMean(dags.map((dag) => makespan(dag, slots) / lowerBound(dag, slots)));
      const goal = name === "recorded workflows" ? target : null;
      return {
        name: `schedule quality, ${name}, ${slots} slots`,
        value: ratio,
        unit: "× lower bound",
        floor: 1,
        ratio,
        target: goal,
        ok: goal === null || ratio <= goal,
      };
    }),
  );
}

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** The longest path and the work shared by all slots; parents may stand after their children in the recordings. */
function lowerBound({ tasks }: Dag, slots: number): number {
  const finish = new Map<number, number>();
  const finishOf = (place: number): number => {
    const known = finish.get(place);
    if (known !== undefined) return known;
    const [seconds, parents] = tasks[place] ?? [0, []];
    const end = seconds + Math.max(0, ...parents.map(finishOf));
    finish.set(place, end);
    return end;
  };
  const work = tasks.reduce((sum, [seconds]) => sum + seconds, 0);
  return Math.max(...tasks.map((_, place) => finishOf(place)), work / slots);
}

const AT = "2026-01-01T00:00:00.000Z";
const idOf = (place: number): string => `task-${String(place + 1).padStart(4, "0")}`;

function makespan(dag: Dag, slots: number): number {
  const seconds = new Map(dag.tasks.map(([duration], place) => [idOf(place), duration]));
  let state = planOf(dag);
  const candidates = new Candidates(state, (task) => seconds.get(task.id) ?? 0);
  const conditions: Conditions = {
    total: slots,
    limitedBy: "setting",
    pools: [...defaultPools],
    defaultAgent: "a",
    parallel: "always",
    gate: { status: "open", until: null },
    live: [],
  };
  const running: { id: string; end: number }[] = [];
  let now = 0;
  const commit = (...facts: NewFact[]) => {
    const stamped = facts.map((fact, i) => stamp(fact, state.seq + 1 + i));
    state = apply(state, stamped);
    candidates.update(stamped, state);
  };
  commit({ kind: "execution.started", payload: {} });
  for (;;) {
    const starts = schedule(state, { now: 0, conditions, candidates: candidates.inOrder() });
    for (const { task } of starts) {
      running.push({ id: task.id, end: now + (seconds.get(task.id) ?? 0) });
      commit({ kind: "task.started", payload: { taskId: task.id, attemptId: "att" } });
    }
    const next = running.sort((a, b) => b.end - a.end).pop();
    if (!next) return now;
    now = next.end;
    commit(
      { kind: "task.succeeded", payload: { taskId: next.id, attemptId: "att" } },
      {
        kind: "node.status_updated",
        payload: { nodeId: next.id, from: "in_progress", to: "implemented" },
      },
    );
  }
}

const stamp = (fact: NewFact, seq: number): Fact => ({
  by: "",
  ...fact,
  v: 1,
  seq,
  id: "act",
  at: AT,
  workspaceId: "ws",
  tx: "tx",
  i: 0,
  n: 1,
});

function planOf({ tasks }: Dag): WorkspaceState {
  const created = apply(emptyState, [
    stamp(
      { kind: "workspace.created", payload: { projectRoot: "/p", name: "p", wbsId: "wbs" } },
      1,
    ),
  ]);
  const operations = tasks.map(([, parents], place) => ({
    op: "create" as const,
    tempId: `t${place}`,
    title: `t${place}`,
    dependencies: parents.map((parent) => `t${parent}`),
  }));
  const { facts } = patchToFacts(
    created,
    { operations, potentialConflicts: [] },
    { text: "", by: "bench", at: AT, projectRoot: "/p" },
  );
  return apply(
    created,
    facts.map((fact, i) => stamp(fact, 2 + i)),
  );
}

/** Layers, fork-joins, chains and stars, from a seed. */
function generated(): Dag[] {
  const random = seeded(7);
  const seconds = () => 1 + Math.round(random() * 99);
  const pick = (from: number, to: number) => from + Math.floor(random() * (to - from));
  const layers = (count: number, width: number): Dag => ({
    name: `layers ${count}×${width}`,
    tasks: Array.from({ length: count * width }, (_, i) => {
      const layer = Math.floor(i / width);
      return [
        seconds(),
        layer === 0
          ? []
          : [pick((layer - 1) * width, layer * width), pick((layer - 1) * width, layer * width)],
      ] as const;
    }),
  });
  const forkJoin = (forks: number, width: number): Dag => {
    const tasks: [number, number[]][] = [[seconds(), []]];
    for (let fork = 0; fork < forks; fork += 1) {
      const root = tasks.length - 1;
      const first = tasks.length;
      for (let i = 0; i < width; i += 1) tasks.push([seconds(), [root]]);
      tasks.push([seconds(), Array.from({ length: width }, (_, i) => first + i)]);
    }
    return { name: `fork-join ${forks}×${width}`, tasks };
  };
  const chains = (count: number, length: number): Dag => ({
    name: `chains ${count}×${length}`,
    tasks: Array.from(
      { length: count * length },
      (_, i) => [seconds(), i % length === 0 ? [] : [i - 1]] as const,
    ),
  });
  const star: Dag = {
    name: "star",
    tasks: [[seconds(), []], ...Array.from({ length: 100 }, () => [seconds(), [0]] as const)],
  };
  return [
    layers(10, 10),
    layers(5, 40),
    layers(30, 6),
    forkJoin(5, 12),
    forkJoin(3, 40),
    chains(10, 10),
    chains(24, 5),
    star,
  ];
}
