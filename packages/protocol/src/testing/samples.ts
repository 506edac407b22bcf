import type { NodeDesign } from "../plan-node.ts";
import type { RunResult } from "../run-result.ts";
import type { NewTask } from "../task.ts";
import { noUsage } from "../usage.ts";

/** The plainest node, task and result there are; a test says what is special about its own. */

const AT = "2026-01-01T00:00:00.000Z";

export const sampleNode = (id: string, changes: Partial<NodeDesign> = {}): NodeDesign => ({
  id,
  title: id,
  description: "",
  kind: "feature",
  priority: null,
  effort: null,
  dependencies: [],
  acceptanceCriteria: [],
  designNotes: [],
  suggestedImpl: null,
  test: null,
  phaseName: "",
  milestone: "",
  wbsLevel: 0,
  workType: "",
  domain: "",
  tags: [],
  conflictsWith: [],
  origin: "",
  createdAt: AT,
  createdBy: "",
  ...changes,
});

export const sampleTask = (id: string, changes: Partial<NewTask> = {}): NewTask => ({
  id,
  nodeId: id,
  kind: "implementation",
  poolId: "default",
  priority: null,
  goal: "",
  constraints: [],
  runnerMaxLoops: null,
  runnerWorkerKind: null,
  createdAt: AT,
  ...changes,
});

/** A run that went well. */
export const sampleResult = (taskId: string, changes: Partial<RunResult> = {}): RunResult => ({
  taskId,
  status: "succeeded",
  state: "COMPLETE",
  summary: "done",
  reason: null,
  question: null,
  retryAt: null,
  criteria: [],
  validation: { overall: "passed", commands: [], warnings: [] },
  artifacts: { files: [], note: null },
  usage: noUsage,
  workerRuns: 1,
  metaCalls: 1,
  loops: 1,
  durationMs: 1,
  ...changes,
});
