import type { NodeFile, WbsFile } from "@multiverse/protocol/design-files";
import type { PlanNode } from "@multiverse/protocol/plan-node";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** design/: the plan in the shapes that other tools read. Pure: a state in, file contents out. */
const STORY_POINTS = { small: 1, medium: 3, large: 8 } as const;
const DIFFICULTY = { small: "low", medium: "medium", large: "high" } as const;

function nodeFile(state: WorkspaceState, node: PlanNode): NodeFile {
  const { effort, suggestedImpl, test } = node;
  return {
    node_id: node.id,
    wbs_id: state.workspace?.wbsId ?? "",
    name: node.id === ROOT_ID ? (state.workspace?.name ?? "") : node.title,
    summary: node.description,
    kind: node.kind,
    priority: node.priority ?? "medium",
    ...(effort && {
      estimate: { story_points: STORY_POINTS[effort], difficulty: DIFFICULTY[effort] },
    }),
    dependencies: [...node.dependencies],
    acceptance_criteria: [...node.acceptanceCriteria],
    design_notes: [...node.designNotes],
    suggested_impl: suggestedImpl && {
      language: suggestedImpl.language,
      module_paths: suggestedImpl.filePaths,
      file_paths: suggestedImpl.filePaths,
      constraints: suggestedImpl.constraints,
    },
    test,
    phase_name: node.phaseName,
    milestone: node.milestone,
    wbs_level: node.wbsLevel,
    work_type: node.workType,
    domain: node.domain,
    tags: [...node.tags],
    created_at: node.createdAt,
    updated_at: node.updatedAt,
    created_by: node.createdBy,
  };
}

export const nodeText = (state: WorkspaceState, node: PlanNode): string =>
  `${JSON.stringify(nodeFile(state, node), null, 2)}\n`;

export type WbsHeader = Omit<WbsFile, "node_index">;

export const wbsHeader = (state: WorkspaceState): WbsHeader => ({
  wbs_id: state.workspace?.wbsId ?? "",
  project_root: state.workspace?.projectRoot ?? "",
  created_at: state.workspace?.createdAt ?? "",
  updated_at: state.workspace?.updatedAt ?? "",
  root_node_id: ROOT_ID,
});

export const wbsEntry = (node: PlanNode): WbsFile["node_index"][number] => ({
  node_id: node.id,
  parent_id: node.parentId,
  children: [...node.children],
});

/** Nodes from the root down, parents before children, siblings in order. */
export function* planOrder(state: WorkspaceState): Generator<PlanNode> {
  const queue = [ROOT_ID];
  for (let i = 0; i < queue.length; i += 1) {
    const node = state.nodes.get(queue[i] ?? "");
    if (!node) continue;
    yield node;
    queue.push(...node.children);
  }
}
