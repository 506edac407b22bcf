import type { BacklogChoice } from "@multiverse/protocol/backlog";
import type { ExecutionAction } from "@multiverse/protocol/http/requests";
import type { PlanChangeTitles } from "@multiverse/protocol/plan-change";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";

/** What a person can ask of an open workspace. Every call is durable when it resolves, and refuses with a reason. */
export interface Orchestrator {
  /** The message is durable when this resolves; the plan and the answer follow as facts. */
  sendMessage(
    sessionId: string,
    text: string,
    clientId?: string,
  ): Promise<{ messageId: string; seq: number }>;
  setExecution(action: ExecutionAction): Promise<void>;
  runTask(taskId: string): Promise<void>;
  cancelTask(taskId: string): Promise<void>;
  changePlan(operations: readonly PlanOperation[]): Promise<{ created: string[] }>;
  /** Says what came back, went and changed by it. */
  undoLastChange(): Promise<PlanChangeTitles>;
  resolveBacklog(id: string, resolution: string, choice?: BacklogChoice): Promise<void>;
  deleteBacklog(id: string): Promise<void>;
  restoreSnapshot(id: string, force: boolean): Promise<void>;
  /** What runs right now, for the processes panel. */
  processes(): readonly RunningProcess[];
  /** What decides, beside the state, whether a task starts now. */
  conditions(): Conditions;
  /** Settings that decide what may start have changed. */
  settingsChanged(): void;
  /** No new work; running attempts are stopped, or left to be adopted with `detach`. */
  close(options: { detach: boolean }): Promise<void>;
}

export interface RunningProcess {
  readonly taskId: string;
  readonly attemptId: string;
  readonly phase: string;
  readonly tool: string;
  readonly model: string;
  readonly startedAt: string;
  readonly containerId: string | null;
}
