import { z } from "zod";
import { BacklogItem } from "./backlog.ts";
import {
  AgentsFile,
  NodeFile,
  NodesRuntimeFile,
  TasksFile,
  TestsFile,
  WbsFile,
  WorkspaceFile,
} from "./design-files.ts";
import { AttemptFile, ChatLine, TaskLine } from "./entity-files.ts";
import { ErrorBody } from "./error.ts";
import { FACT_PAYLOADS, FactWire } from "./fact.ts";
import { JobFile, JobResult } from "./job-file.ts";
import { BuildTaskAnswer } from "./meta/build-task.ts";
import { CompletionAssessmentAnswer } from "./meta/completion-assessment.ts";
import { DecomposeAnswer } from "./meta/decompose.ts";
import { NextActionAnswer } from "./meta/next-action.ts";
import { PlanTaskAnswer } from "./meta/plan-task.ts";
import { PatternsFile } from "./patterns-file.ts";
import { PlanPatch } from "./plan-patch.ts";
import { RunEventBody } from "./run-event.ts";
import { RunResult } from "./run-result.ts";
import { LlmSettings, ServerFile, Settings } from "./settings.ts";
import { SIGNALS } from "./signal.ts";
import { TaskFile } from "./task-file.ts";
import { Tooling } from "./tooling.ts";
import { WorkerPools } from "./worker-pools.ts";

/** Every file and message of the product under the name its JSON Schema is published with (docs/schemas/). */
export const PUBLISHED: Readonly<Record<string, z.ZodType>> = {
  "task-file": TaskFile,
  "plan-task-answer": PlanTaskAnswer,
  "next-action-answer": NextActionAnswer,
  "completion-assessment-answer": CompletionAssessmentAnswer,
  "decompose-answer": DecomposeAnswer,
  "plan-patch": PlanPatch,
  "build-task-answer": BuildTaskAnswer,
  "run-event": RunEventBody,
  "run-result": RunResult,
  fact: FactWire,
  "fact-payloads": z.object(FACT_PAYLOADS),
  "workspace-file": WorkspaceFile,
  "wbs-file": WbsFile,
  "node-file": NodeFile,
  "nodes-runtime-file": NodesRuntimeFile,
  "tasks-file": TasksFile,
  "agents-file": AgentsFile,
  "tests-file": TestsFile,
  "task-line": TaskLine,
  "attempt-file": AttemptFile,
  "chat-line": ChatLine,
  "backlog-item": BacklogItem,
  "job-file": JobFile,
  "job-result": JobResult,
  "worker-pools": WorkerPools,
  "patterns-file": PatternsFile,
  tooling: Tooling,
  "llm-settings": LlmSettings,
  settings: Settings,
  "server-file": ServerFile,
  signals: z.object(SIGNALS),
  error: ErrorBody,
};

/** The schema of what is read (before defaults and aliases are filled in). */
export const jsonSchema = (schema: z.ZodType): z.core.JSONSchema.BaseSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
