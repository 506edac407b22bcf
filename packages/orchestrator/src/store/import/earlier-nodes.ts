import type { NodeFile } from "@multiverse/protocol/design-files";
import type { TaskLine } from "@multiverse/protocol/entity-files";
import { ROOT_ID, type NodeDesign } from "@multiverse/protocol/plan-node";
import { inferDomain, inferWbsLevel, inferWorkType } from "../../plan/infer-facets.ts";
import type { Earlier } from "./read-earlier.ts";

/** A node of the earlier implementation with its place: what a `node.created` fact needs. */
export interface Placed {
  readonly node: NodeDesign;
  readonly parentId: string;
  readonly index: number;
}

/** Earlier task id → the id it has now: a node and its implementing task share one. */
export function newTaskIds(earlier: Earlier): Map<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const implementing = earlier.tasks.filter((task) => task.kind === "implementation");
  for (const task of [...implementing, ...earlier.tasks]) {
    if (ids.has(task.task_id)) continue;
    const main = !taken.has(task.node_id) && task.kind !== "test";
    if (main) taken.add(task.node_id);
    ids.set(task.task_id, main ? task.node_id : task.task_id);
  }
  for (const line of earlier.lines) if (!ids.has(line.id)) ids.set(line.id, line.id);
  return ids;
}

/** All nodes, parents before children, each with its facets filled in from its task where the design lacks them. */
export function placedNodes(
  earlier: Earlier,
  ids: ReadonlyMap<string, string>,
  now: string,
): Placed[] {
  const designs = new Map<string, NodeDesign>();
  const lines = new Map(earlier.lines.map((line) => [ids.get(line.id) ?? line.id, line]));
  for (const file of earlier.nodes) {
    if (file.node_id !== ROOT_ID)
      designs.set(file.node_id, fromFile(file, lines.get(file.node_id)));
  }
  for (const [id, line] of lines)
    if (!designs.has(id) && id !== ROOT_ID) designs.set(id, fromLine(id, line));
  const known = (id: string): string => ids.get(id) ?? id;
  const nodes = [...designs.values()].map((node) => ({
    ...node,
    createdAt: isoOr(node.createdAt, now),
    dependencies: [...new Set(node.dependencies.map(known))].filter(
      (id) => designs.has(id) && id !== node.id,
    ),
  }));
  return inTree(earlier, new Map(nodes.map((node) => [node.id, node])));
}

const isoOr = (time: string, fallback: string): string =>
  Number.isNaN(Date.parse(time)) ? fallback : new Date(time).toISOString();

const EFFORT = { low: "small", medium: "medium", high: "large" } as const;

function fromFile(file: NodeFile, line: TaskLine | undefined): NodeDesign {
  const impl = file.suggested_impl;
  const filePaths = impl ? (impl.file_paths.length > 0 ? impl.file_paths : impl.module_paths) : [];
  const title = file.name || line?.title || file.node_id;
  const description = file.summary || line?.description || "";
  const phaseName = file.phase_name || line?.phaseName || "";
  const workType =
    file.work_type || line?.workType || inferWorkType({ title, description, phaseName, filePaths });
  return {
    id: file.node_id,
    title: title.slice(0, 500),
    description,
    kind: file.kind,
    priority: oneOf(["high", "medium", "low"], file.priority),
    effort: EFFORT[(file.estimate?.difficulty ?? "") as keyof typeof EFFORT] ?? null,
    dependencies: file.dependencies,
    acceptanceCriteria:
      file.acceptance_criteria.length > 0
        ? file.acceptance_criteria
        : (line?.acceptanceCriteria ?? []),
    designNotes: file.design_notes,
    suggestedImpl: impl
      ? { language: impl.language, filePaths, constraints: impl.constraints }
      : null,
    test: file.test ?? null,
    phaseName,
    milestone: file.milestone || line?.milestone || "",
    wbsLevel: file.wbs_level || clampLevel(line?.wbsLevel) || inferWbsLevel(workType),
    workType,
    domain: file.domain || line?.domain || inferDomain(filePaths),
    tags: file.tags.length > 0 ? file.tags : (line?.tags ?? []),
    conflictsWith: [],
    origin: line?.rawPrompt ?? "",
    createdAt: file.created_at,
    createdBy: file.created_by,
  };
}

/** A task without a design: the line is all there is. */
function fromLine(id: string, line: TaskLine): NodeDesign {
  const { description, phaseName } = line;
  const filePaths: string[] = [];
  const title = (line.title || id).slice(0, 500);
  const workType = line.workType || inferWorkType({ title, description, phaseName, filePaths });
  return {
    id,
    title,
    description,
    kind: "feature",
    priority: null,
    effort: null,
    dependencies: line.dependencies,
    acceptanceCriteria: line.acceptanceCriteria,
    designNotes: [],
    suggestedImpl: null,
    test: null,
    phaseName,
    milestone: line.milestone,
    wbsLevel: clampLevel(line.wbsLevel) || inferWbsLevel(workType),
    workType,
    domain: line.domain,
    tags: line.tags,
    conflictsWith: [],
    origin: line.rawPrompt,
    createdAt: line.createdAt,
    createdBy: "",
  };
}

const clampLevel = (level: number | undefined): number =>
  Math.max(0, Math.min(3, Math.trunc(level ?? 0)));

const oneOf = <T extends string>(values: readonly T[], value: string): T | null =>
  values.find((v) => v === value) ?? null;

/** Places nodes as the index says; what it leaves out, or puts into a circle, comes to stand under the root. */
function inTree(earlier: Earlier, nodes: ReadonlyMap<string, NodeDesign>): Placed[] {
  const children = new Map(
    earlier.wbs?.node_index.map((entry) => [entry.node_id, entry.children]) ?? [],
  );
  const rootId = earlier.wbs?.root_node_id ?? ROOT_ID;
  const placed = new Map<string, Placed>();
  const queue = [{ from: rootId, under: ROOT_ID }];
  for (const { from, under } of queue) {
    const listed = [...new Set(children.get(from) ?? [])];
    const fresh = listed.filter((id) => nodes.has(id) && !placed.has(id));
    for (const [index, id] of fresh.entries()) {
      const node = nodes.get(id);
      if (node) placed.set(id, { node, parentId: under, index });
      queue.push({ from: id, under: id });
    }
  }
  const top = [...placed.values()].filter((entry) => entry.parentId === ROOT_ID).length;
  const left = [...nodes.values()].filter((node) => !placed.has(node.id));
  left.forEach((node, i) => placed.set(node.id, { node, parentId: ROOT_ID, index: top + i }));
  return withoutCycles([...placed.values()]);
}

/** Drops dependencies that close a circle: a plan with one would never finish. */
function withoutCycles(placed: readonly Placed[]): Placed[] {
  const accepted = new Map<string, Set<string>>();
  const reaches = (from: string, to: string): boolean => {
    const seen = new Set([from]);
    for (const id of seen) {
      if (id === to) return true;
      for (const next of accepted.get(id) ?? []) seen.add(next);
    }
    return false;
  };
  return placed.map((entry) => {
    const mine = new Set<string>();
    accepted.set(entry.node.id, mine);
    for (const id of entry.node.dependencies) if (!reaches(id, entry.node.id)) mine.add(id);
    return { ...entry, node: { ...entry.node, dependencies: [...mine] } };
  });
}
