import type { BacklogChoice } from "@multiverse/protocol/backlog";
import { FactWire } from "@multiverse/protocol/fact";
import type { ExecutionAction } from "@multiverse/protocol/http/requests";
import {
  AttemptList,
  AttemptLog,
  Changes,
  ChatMessages,
  ChatSessionView,
  ConnectionTest,
  DoctorReport,
  FolderList,
  MessageAccepted,
  ModelList,
  Note,
  PoolList,
  ProcessList,
  SnapshotList,
  ToolList,
  ValidationAnswer,
  WorkspaceList,
  WorkspaceSummary,
} from "@multiverse/protocol/http/responses";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { toSnake } from "@multiverse/protocol/case";
import type { SavedState } from "@multiverse/protocol/saved-state";
import { LlmSettings } from "@multiverse/protocol/settings";
import { Tooling } from "@multiverse/protocol/tooling";
import { z } from "zod";
import { createRequest, type Request } from "./http.ts";

/** Answers whose body nobody reads. */
const Ignored = z.unknown();
const StateAnswer = z.object({ seq: z.int(), state: z.custom<SavedState>() });
const History = z.object({ facts: z.array(FactWire) });

/** The routes that belong to no workspace. */
export function createApi(request: Request = createRequest()) {
  return {
    workspaces: () => request("GET", "/workspaces", WorkspaceList),
    openWorkspace: (path: string) => request("POST", "/workspaces", WorkspaceSummary, { path }),
    workspace: (id: string) => request("GET", `/workspaces/${id}`, WorkspaceSummary),
    forgetWorkspace: (id: string) => request("DELETE", `/workspaces/${id}`, Ignored),
    folders: (prefix: string) =>
      request("GET", `/folders?prefix=${encodeURIComponent(prefix)}`, FolderList),
    doctor: () => request("GET", "/doctor", DoctorReport),
    llm: () => request("GET", "/settings/llm", LlmSettings),
    saveLlm: (settings: LlmSettings) => request("PUT", "/settings/llm", Ignored, settings),
    testLlm: (settings: LlmSettings) =>
      request("POST", "/settings/llm/test", ConnectionTest, settings),
    tooling: () => request("GET", "/settings/tooling", Tooling),
    saveTooling: (tooling: Tooling) => request("PUT", "/settings/tooling", Ignored, tooling),
    tools: () => request("GET", "/tools", ToolList),
    models: (tool: string) =>
      request("GET", `/tools/${encodeURIComponent(tool)}/models`, ModelList),
    validateTool: (tool: string, model: string) =>
      request("POST", "/tools/validate", ValidationAnswer, { tool, model }),
    inWorkspace: (id: string) => workspaceRoutes(request, `/workspaces/${id}`),
  };
}
export type Api = ReturnType<typeof createApi>;
export type WorkspaceApi = ReturnType<Api["inWorkspace"]>;

function workspaceRoutes(request: Request, base: string) {
  const at = (path: string) => `${base}${path}`;
  return {
    state: (seq?: number) =>
      request("GET", at(`/state${seq === undefined ? "" : `?at=${seq}`}`), StateAnswer),
    history: (after: number, limit: number) =>
      request("GET", at(`/history?after=${after}&limit=${limit}`), History),
    newSession: () => request("POST", at("/chat"), ChatSessionView),
    sendMessage: (session: string, text: string, clientId: string) =>
      request("POST", at(`/chat/${session}/messages`), MessageAccepted, { text, clientId }),
    messages: (session: string) => request("GET", at(`/chat/${session}/messages`), ChatMessages),
    setExecution: (action: ExecutionAction) =>
      request("POST", at("/execution"), Ignored, { action }),
    runTask: (id: string) => request("POST", at(`/tasks/${id}/run`), Ignored),
    cancelTask: (id: string) => request("POST", at(`/tasks/${id}/cancel`), Ignored),
    attempts: (id: string) => request("GET", at(`/tasks/${id}/attempts`), AttemptList),
    attemptLog: (id: string, after: number) =>
      request("GET", at(`/attempts/${id}/log?after=${after}`), AttemptLog),
    note: (id: string) => request("GET", at(`/tasks/${id}/note`), Note),
    changes: (id: string) => request("GET", at(`/tasks/${id}/changes`), Changes),
    changePlan: (operations: readonly PlanOperation[]) =>
      request("POST", at("/plan"), Ignored, { operations: operations.map((o) => toSnake(o)) }),
    undo: () => request("POST", at("/plan/undo"), Ignored),
    resolve: (id: string, resolution: string, choice: BacklogChoice) =>
      request("POST", at(`/backlog/${id}/resolve`), Ignored, { resolution, choice }),
    deleteBacklog: (id: string) => request("DELETE", at(`/backlog/${id}`), Ignored),
    pools: () => request("GET", at("/pools"), PoolList),
    processes: () => request("GET", at("/processes"), ProcessList),
    snapshots: () => request("GET", at("/snapshots"), SnapshotList),
    createSnapshot: () => request("POST", at("/snapshots"), Ignored),
    restoreSnapshot: (id: string, force: boolean) =>
      request("POST", at(`/snapshots/${id}/restore`), Ignored, { force }),
  };
}
