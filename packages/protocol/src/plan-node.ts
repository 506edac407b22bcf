import { z } from "zod";
import type { Camel } from "./case.ts";
import { facetShape } from "./facets.ts";
import { Id } from "./id.ts";
import { LIMITS } from "./limits.ts";
import { Effort, Priority } from "./plan-patch.ts";
import { SuggestedImpl, TestCommand } from "./suggested-impl.ts";
import { IsoTime, Text, Title } from "./text.ts";

/** The root of every plan: it has no task and cannot be moved or deleted. */
export const ROOT_ID = "node-root";

/** What is wanted: the part of a node that people and the planner change. */
const nodeFields = {
  title: Title,
  description: Text,
  kind: z.string().max(100),
  priority: Priority.nullable(),
  effort: Effort.nullable(),
  dependencies: z.array(Id).max(LIMITS.dependencies),
  acceptance_criteria: z.array(Text).max(LIMITS.criteria),
  design_notes: z.array(Text).max(LIMITS.criteria),
  suggested_impl: SuggestedImpl.nullable(),
  test: TestCommand.nullable(),
  ...facetShape,
  /** Nodes the planner listed together with this one in `potential_conflicts`: not run at the same time. */
  conflicts_with: z.array(Id).max(LIMITS.dependencies),
  /** The sentence this node came from; goes into the task's PRD. */
  origin: Text,
};

export const NodeDesign = z.object({
  id: Id,
  ...nodeFields,
  created_at: IsoTime,
  created_by: z.string().max(200),
});
export const NodeChanges = z.object(nodeFields).partial();
export type NodeDesign = Camel<z.output<typeof NodeDesign>>;
export type NodeChanges = Camel<z.output<typeof NodeChanges>>;

/** A node in the state: its design and its place in the tree. */
export interface PlanNode extends NodeDesign {
  readonly parentId: string | null;
  readonly children: readonly string[];
  readonly updatedAt: string;
}

export const NODE_STATUSES = [
  "planned",
  "in_progress",
  "implemented",
  "verified",
  "blocked",
  "obsolete",
] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];
export const VERIFICATIONS = ["not_tested", "passed", "failed", "flaky"] as const;
export type Verification = (typeof VERIFICATIONS)[number];

/** How far a node is: what was built for it and how it was checked. */
export interface NodeRuntime {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly files: readonly string[];
  readonly lastModifiedAt: string | null;
  readonly lastModifiedBy: string | null;
  readonly verification: Verification;
  readonly lastTestTaskId: string | null;
  readonly lastTestAt: string | null;
  readonly notes: readonly { at: string; by: string; text: string }[];
}
