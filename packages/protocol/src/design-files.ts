import { z } from "zod";
import { facetShape } from "./facets.ts";
import { NODE_STATUSES, VERIFICATIONS } from "./plan-node.ts";
import { TASK_KINDS, TASK_STATUSES } from "./task.ts";

/**
 * The views under design/ and state/, snake_case, with the shapes of the earlier implementation plus the facets.
 * Written from the facts and read back only by the one-time import, so reading is lenient.
 */
const Time = z.string();
const Strings = z.array(z.string());

export const WbsFile = z.object({
  wbs_id: z.string(),
  project_root: z.string(),
  created_at: Time,
  updated_at: Time,
  root_node_id: z.string(),
  node_index: z.array(
    z.object({
      node_id: z.string(),
      parent_id: z.string().nullable(),
      children: Strings.default([]),
    }),
  ),
});
export type WbsFile = z.output<typeof WbsFile>;

export const NodeFile = z.object({
  node_id: z.string(),
  wbs_id: z.string(),
  name: z.string(),
  summary: z.string().default(""),
  kind: z.string().default("feature"),
  priority: z.string().default("medium"),
  estimate: z
    .object({ story_points: z.number().default(0), difficulty: z.string().default("") })
    .optional(),
  dependencies: Strings.default([]),
  acceptance_criteria: Strings.default([]),
  design_notes: Strings.default([]),
  suggested_impl: z
    .looseObject({
      language: z.string().default(""),
      framework: z.string().optional(),
      module_paths: Strings.default([]),
      file_paths: Strings.default([]),
      constraints: Strings.default([]),
    })
    .nullish(),
  test: z.object({ command: z.string(), cwd: z.string().default(".") }).nullish(),
  phase_name: facetShape.phase_name.default(""),
  milestone: facetShape.milestone.default(""),
  wbs_level: facetShape.wbs_level.default(0),
  work_type: facetShape.work_type.default(""),
  domain: facetShape.domain.default(""),
  tags: facetShape.tags.default([]),
  created_at: Time,
  updated_at: Time,
  created_by: z.string().default(""),
});
export type NodeFile = z.output<typeof NodeFile>;

export const NodesRuntimeFile = z.object({
  nodes: z.array(
    z.object({
      node_id: z.string(),
      status: z.enum(NODE_STATUSES),
      implementation: z
        .object({
          files: Strings.default([]),
          last_modified_at: Time.nullish(),
          last_modified_by: z.string().nullish(),
        })
        .prefault({}),
      verification: z
        .object({
          status: z.enum(VERIFICATIONS).default("not_tested"),
          last_test_task_id: z.string().nullish(),
          last_test_at: Time.nullish(),
        })
        .prefault({}),
      notes: z.array(z.object({ at: Time, by: z.string(), text: z.string() })).default([]),
    }),
  ),
});
export type NodesRuntimeFile = z.output<typeof NodesRuntimeFile>;

/** `COMPLETED` was the earlier name of SUCCEEDED. */
const Status = z.preprocess(
  (value) => (value === "COMPLETED" ? "SUCCEEDED" : value),
  z.enum(TASK_STATUSES),
);

export const TasksFile = z.object({
  tasks: z.array(
    z.object({
      task_id: z.string(),
      node_id: z.string(),
      kind: z.enum(TASK_KINDS).catch("implementation"),
      status: Status,
      created_at: Time,
      updated_at: Time,
      scheduled_by: z.string().default(""),
      assigned_agent: z.string().default(""),
      priority: z.number().default(0),
      /** Reserved keys: attempt_count, next_retry_at, runner_max_loops, runner_worker_kind, goal, constraints, facet.*. */
      inputs: z.record(z.string(), z.unknown()).default({}),
      outputs: z
        .looseObject({
          status: z.string().default("unknown"),
          artifacts: z.record(z.string(), z.unknown()).default({}),
        })
        .prefault({}),
    }),
  ),
  queue_meta: z
    .object({ last_scheduled_at: Time.nullish(), next_task_id_seq: z.number().default(1) })
    .prefault({}),
});
export type TasksFile = z.output<typeof TasksFile>;

export const AgentsFile = z.object({
  agents: z.array(
    z.object({
      agent_id: z.string(),
      kind: z.string(),
      max_parallel: z.number(),
      running_tasks: Strings,
      capabilities: Strings,
    }),
  ),
});
export type AgentsFile = z.output<typeof AgentsFile>;

export const TestsFile = z.object({
  node_tests: z.array(
    z.object({
      node_id: z.string(),
      last_result: z.object({
        status: z.enum(VERIFICATIONS),
        test_task_id: z.string(),
        coverage: z.object({ lines: z.number(), branches: z.number() }).nullish(),
        summary: z.string().default(""),
      }),
    }),
  ),
});
export type TestsFile = z.output<typeof TestsFile>;

export const WorkspaceFile = z.object({
  id: z.string(),
  name: z.string(),
  project_root: z.string(),
  created_at: Time,
  last_opened_at: Time,
  schema_version: z.int().default(0),
});
export type WorkspaceFile = z.output<typeof WorkspaceFile>;
