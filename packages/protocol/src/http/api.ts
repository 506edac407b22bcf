import type { BacklogChoice } from "../backlog.ts";
import { toSnake } from "../case.ts";
import { FactWire } from "../fact.ts";
import type { PlanOperation } from "../plan-patch.ts";
import type { SavedState } from "../saved-state.ts";
import { LlmSettings, Settings } from "../settings.ts";
import { Tooling } from "../tooling.ts";
import { z, type ZodType } from "zod";
import type { ExecutionAction } from "./requests.ts";
import {
  AttemptList,
  AttemptLog,
  BacklogList,
  Changes,
  ChatMessages,
  ChatSessionView,
  ConnectionTest,
  DoctorReport,
  ExecutionView,
  FolderList,
  MessageAccepted,
  ModelList,
  Note,
  PlanUndone,
  PoolList,
  ProcessList,
  SnapshotList,
  TaskList,
  ToolList,
  ValidationAnswer,
  WorkspaceList,
  WorkspaceSummary,
} from "./responses.ts";

/** One request: JSON out, JSON in, checked against the schema of its answer. How it travels is the caller's affair. */
export type Request = <T>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  answer: ZodType<T>,
  body?: unknown,
) => Promise<T>;

/** Answers whose body nobody reads. */
const Ignored = z.unknown();
const StateAnswer = z.object({ seq: z.int(), state: z.custom<SavedState>() });
const HistoryPage = z.object({ seq: z.int(), facts: z.array(FactWire) });
const LoginLink = z.object({ url: z.string() });
const NewSnapshot = z.object({ id: z.string(), seq: z.int() });

export interface HistoryQuery {
  readonly after: number;
  readonly limit: number;
  readonly kind?: string;
}

/** The server's routes as functions, for the browser and the command line alike. Here: those of no workspace. */
export function createApi(request: Request) {
  return {
    workspaces: () => request("GET", "/workspaces", WorkspaceList),
    openWorkspace: (path: string) => request("POST", "/workspaces", WorkspaceSummary, { path }),
    workspace: (id: string) => request("GET", `/workspaces/${id}`, WorkspaceSummary),
    forgetWorkspace: (id: string) => request("DELETE", `/workspaces/${id}`, Ignored),
    folders: (prefix: string) => request("GET", `/folders?prefix=${part(prefix)}`, FolderList),
    doctor: () => request("GET", "/doctor", DoctorReport),
    llm: () => request("GET", "/settings/llm", LlmSettings),
    saveLlm: (settings: LlmSettings) => request("PUT", "/settings/llm", Ignored, settings),
    testLlm: (settings: LlmSettings) =>
      request("POST", "/settings/llm/test", ConnectionTest, settings),
    general: () => request("GET", "/settings/general", Settings),
    saveGeneral: (settings: Settings) => request("PUT", "/settings/general", Ignored, settings),
    tooling: () => request("GET", "/settings/tooling", Tooling),
    saveTooling: (tooling: Tooling) => request("PUT", "/settings/tooling", Ignored, tooling),
    tools: () => request("GET", "/tools", ToolList),
    models: (tool: string) => request("GET", `/tools/${part(tool)}/models`, ModelList),
    validateTool: (tool: string, model: string) =>
      request("POST", "/tools/validate", ValidationAnswer, { tool, model }),
    loginLink: () => request("POST", "/login/codes", LoginLink),
    rotateToken: () => request("POST", "/token/rotate", Ignored),
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
    tasks: () => request("GET", at("/tasks"), TaskList),
    execution: () => request("GET", at("/execution"), ExecutionView),
    backlog: (all = false) => request("GET", at(`/backlog?all=${all}`), BacklogList),
    history: ({ after, limit, kind }: HistoryQuery) => {
      const ofKind = kind === undefined ? "" : `&kind=${part(kind)}`;
      return request("GET", at(`/history?after=${after}&limit=${limit}${ofKind}`), HistoryPage);
    },
    newSession: () => request("POST", at("/chat"), ChatSessionView),
    sendMessage: (session: string, text: string, clientId?: string) =>
      request("POST", at(`/chat/${session}/messages`), MessageAccepted, { text, clientId }),
    messages: (session: string) => request("GET", at(`/chat/${session}/messages`), ChatMessages),
    setExecution: (action: ExecutionAction) =>
      request("POST", at("/execution"), Ignored, { action }),
    runTask: (id: string) => request("POST", at(`/tasks/${id}/run`), Ignored),
    cancelTask: (id: string) => request("POST", at(`/tasks/${id}/cancel`), Ignored),
    attempts: (id: string) => request("GET", at(`/tasks/${part(id)}/attempts`), AttemptList),
    attemptLog: (id: string, after: number) =>
      request("GET", at(`/attempts/${id}/log?after=${after}`), AttemptLog),
    note: (id: string) => request("GET", at(`/tasks/${id}/note`), Note),
    changes: (id: string) => request("GET", at(`/tasks/${id}/changes`), Changes),
    changePlan: (operations: readonly PlanOperation[]) =>
      request("POST", at("/plan"), Ignored, { operations: operations.map((o) => toSnake(o)) }),
    undo: () => request("POST", at("/plan/undo"), PlanUndone),
    resolve: (id: string, resolution: string, choice?: BacklogChoice) =>
      request("POST", at(`/backlog/${part(id)}/resolve`), Ignored, { resolution, choice }),
    deleteBacklog: (id: string) => request("DELETE", at(`/backlog/${id}`), Ignored),
    pools: () => request("GET", at("/pools"), PoolList),
    processes: () => request("GET", at("/processes"), ProcessList),
    snapshots: () => request("GET", at("/snapshots"), SnapshotList),
    createSnapshot: () => request("POST", at("/snapshots"), NewSnapshot),
    restoreSnapshot: (id: string, force: boolean) =>
      request("POST", at(`/snapshots/${part(id)}/restore`), Ignored, { force }),
  };
}

/** What stands between two slashes, whatever someone typed. */
const part = (text: string): string => encodeURIComponent(text);
