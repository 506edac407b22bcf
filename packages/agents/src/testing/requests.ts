import type { PlanTaskRequest } from "@multiverse/protocol/meta/plan-task";
import type { RunSituation } from "@multiverse/protocol/meta/next-action";
import type { PlanRequest } from "@multiverse/protocol/plan-request";

/** Requests as the runner and the orchestrator make them, for tests. */
export const planTaskRequest = (title: string): PlanTaskRequest => ({
  task: {
    id: "T-1",
    title,
    description: "",
    wbsLevel: 3,
    phaseName: "",
    milestone: "",
    dependencies: [],
  },
  prd: `Build it: ${title}`,
  suggestedImpl: null,
  test: null,
});

export const situation = (title: string, over: Partial<RunSituation> = {}): RunSituation => ({
  state: "RUNNING",
  task: { id: "T-1", title, prdSummary: "Build it" },
  acceptanceCriteria: [
    { id: "AC-1", description: "it works", passed: false, comment: "", check: null },
  ],
  lastWorkerResult: { exists: false, exitCode: null, summary: "", stdoutTail: "", files: [] },
  lastTestResult: null,
  lastAssessment: null,
  warnings: [],
  workerRunsCount: 0,
  loopsLeft: 5,
  answers: [],
  ...over,
});

export const planRequest = (userInput: string, titles: readonly string[] = []): PlanRequest => ({
  userInput,
  context: { workspacePath: "/project" },
  existingTasks: titles.map((title, i) => ({
    id: `T-${i + 1}`,
    title,
    status: "PENDING",
    dependencies: [],
    phaseName: "",
    milestone: "",
    wbsLevel: 0,
    parentId: "node-root",
  })),
  existingWbs: { rootNodeId: "node-root", nodeIndex: [] },
  conversationHistory: [],
  answers: [],
  refusal: null,
});
