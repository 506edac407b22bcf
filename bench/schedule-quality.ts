import { existsSync, readFileSync } from "node:fs";
import { apply } from "@multiverse/protocol/apply/apply";
import type { Fact, NewFact } from "@multiverse/protocol/fact";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { Candidates } from "@multiverse/orchestrator/execute/candidates";
import { schedule } from "@multiverse/orchestrator/execute/schedule";
import { defaultPools } from "@multiverse/orchestrator/execute/capacity";
import { patchToFacts } from "@multiverse/orchestrator/plan/patch-to-facts";
import { atOnce } from "@multiverse/orchestrator/store/give-way";
import { seeded } from "@multiverse/orchestrator/store/simulation/random";
import { bestMakespan } from "./best-schedule.ts";
import { closerBound, lowerBound, type Dag } from "./dag.ts";
import type { Row } from "./row.ts";

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
    TARGETS.flatMap(([slots, target]): Row[] => {
      const goal = name === "recorded workflows" ? target : null;
      const ours = dags.map((dag) => makespan(dag, slots));
      const mean = (bound: (dag: Dag) => number): number =>
        geometricMean(dags.map((dag, i) => (ours[i] ?? 0) / bound(dag)));
      const what = `schedule quality, ${name}, ${slots} slots`;
      return [
        row(
          what,
          mean((dag) => lowerBound(dag, slots)),
          "lower bound",
          goal,
        ),
        row(
          `${what}: against a closer bound`,
          mean((dag) => closerBound(dag, slots)),
          "bound",
          null,
        ),
        row(
          `${what}: against the best found`,
          mean((dag) => bestMakespan(dag, slots)),
          "best",
          null,
        ),
      ];
    }),
  );
}

const row = (name: string, ratio: number, of: string, target: number | null): Row => ({
  name,
  value: ratio,
  unit: `× ${of}`,
  floor: 1,
  ratio,
  target,
  ok: target === null || ratio <= target,
});

const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

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
    atOnce(candidates.rank());
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
