import type { BacklogChoice } from "@multiverse/protocol/backlog";
import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import type { ExecutionAction } from "@multiverse/protocol/http/requests";
import { changeTitles, isPlanFact, type PlanChangeTitles } from "@multiverse/protocol/plan-change";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { openItem, resolveFacts, undeletable } from "./backlog.ts";
import { liftQuestionPause } from "./chat/autopilot.ts";
import { Chat } from "./chat/chat.ts";
import { DefaultAnswers } from "./chat/default-answers.ts";
import { messageFact } from "./chat/messages.ts";
import { hasBlockingQuestion, isPlanningQuestion } from "./chat/questions.ts";
import { executionFacts } from "./execute/execution.ts";
import { nodeStatus } from "./execute/finish.ts";
import { Loop, type LoopOptions } from "./execute/loop.ts";
import type { Orchestrator, RunningProcess } from "./orchestrator.ts";
import { patchInSteps } from "./plan/patch-to-facts.ts";
import { draftPlan } from "./plan/plan-draft.ts";
import { undoFacts } from "./plan/undo.ts";
import type { Ports } from "./ports.ts";
import type { Workspace } from "./store/workspace.ts";

export interface OrchestratorOptions extends LoopOptions {
  /** After this long a question with a default answers itself; null = a person has to. */
  readonly defaultAnswerMs: () => number | null;
}

/** Wires plan, chat and execution of one open workspace to its store. */
export const createOrchestrator = (options: OrchestratorOptions): Orchestrator =>
  new WorkspaceOrchestrator(options);

const PERSON = { by: "person" } as const;

class WorkspaceOrchestrator implements Orchestrator {
  private readonly workspace: Workspace;
  private readonly ports: Ports;
  private readonly loop: Loop;
  private readonly chat: Chat;
  private readonly defaults: DefaultAnswers;

  constructor({ defaultAnswerMs, ...options }: OrchestratorOptions) {
    const { workspace, ports } = options;
    this.workspace = workspace;
    this.ports = ports;
    this.loop = new Loop(options);
    const control = (action: ExecutionAction): Promise<void> => this.setExecution(action);
    const undo = (): Promise<PlanChangeTitles> => this.undoLastChange();
    this.chat = new Chat({ workspace, ports, control, undo });
    const resolve = (id: string, text: string): Promise<void> =>
      this.resolveBacklog(id, text, "answer");
    this.defaults = new DefaultAnswers({ workspace, ports, afterMs: defaultAnswerMs, resolve });
  }

  sendMessage(
    sessionId: string,
    text: string,
    clientId?: string,
  ): Promise<{ messageId: string; seq: number }> {
    return this.chat.send(sessionId, text, clientId);
  }

  async setExecution(action: ExecutionAction): Promise<void> {
    if (action === "stop") this.chat.stopPlanning();
    await this.workspace.commit((state) => executionFacts(state, action), PERSON);
    if (action === "stop") await this.loop.stopAll();
  }

  async runTask(taskId: string): Promise<void> {
    await this.workspace.commit(
      (state) => requestFacts(known(state, taskId), state, this.at),
      PERSON,
    );
  }

  async cancelTask(taskId: string): Promise<void> {
    const task = known(this.workspace.state, taskId);
    if (task.progress === "running" && task.currentAttempt)
      return this.loop.stopAttempt(task.currentAttempt);
    await this.workspace.commit((state) => cancelFacts(known(state, taskId)), PERSON);
  }

  async changePlan(operations: readonly PlanOperation[]): Promise<{ created: string[] }> {
    const { projectRoot } = this.workspace;
    const patch = { operations: [...operations], potentialConflicts: [] };
    const origin = { text: "", by: "person", at: this.at, projectRoot };
    let created: readonly string[] = [];
    await this.workspace.commitInSteps(function* (state) {
      const change = yield* patchInSteps(state, patch, origin);
      ({ created } = change);
      return change.facts;
    }, PERSON);
    return { created: [...created] };
  }

  async undoLastChange(): Promise<PlanChangeTitles> {
    const back = await undoFacts(this.workspace, this.at);
    const { by } = back;
    const before = this.workspace.state;
    const { facts } = await this.workspace.commitInSteps((state) => back.facts(state), { by });
    return changeTitles(facts.filter(isPlanFact), (id) => before.nodes.get(id)?.title ?? id);
  }

  async resolveBacklog(id: string, text: string, choice?: BacklogChoice): Promise<void> {
    const item = openItem(this.workspace.state, id);
    const { sessionId: asker, blocking } = item.metadata;
    const sessionId = isPlanningQuestion(item) && typeof asker === "string" ? asker : null;
    const { state } = await this.workspace.commit((before) => {
      const resolved = resolveFacts(before, { id, text, choice, at: this.at });
      if (sessionId === null || !text.trim()) return resolved;
      return [...resolved, this.answered(sessionId, `${item.title}\n→ ${text}`)];
    }, PERSON);
    if (sessionId !== null && blocking === true && !hasBlockingQuestion(state))
      this.chat.replan(item);
  }

  async deleteBacklog(id: string): Promise<void> {
    await this.workspace.commit((state) => {
      const problem = undeletable(state, id);
      if (problem) throw problem;
      const draft = draftPlan(state, this.at);
      draft.add({ kind: "backlog.deleted", payload: { backlogId: id } });
      draft.add(...liftQuestionPause(draft.state));
      return draft.facts;
    }, PERSON);
  }

  async restoreSnapshot(id: string, force: boolean): Promise<void> {
    // Stopping the runs alone will not do: the scheduler would start them again before the restore.
    const stop = (): Promise<void> => this.setExecution("stop");
    await this.workspace.restoreSnapshot(id, { force, ...PERSON, stop });
  }

  processes(): readonly RunningProcess[] {
    return this.loop.running;
  }

  conditions(): Conditions {
    return this.loop.conditions;
  }

  settingsChanged(): void {
    this.loop.wake();
  }

  async close({ detach }: { detach: boolean }): Promise<void> {
    this.defaults.close();
    await this.chat.close();
    if (!detach && this.workspace.state.execution.status === "RUNNING")
      await this.workspace.commit(pauseForShutdown);
    await this.loop.close({ detach });
  }

  private get at(): string {
    return this.ports.clock.now().toISOString();
  }

  private answered(sessionId: string, content: string): NewFact {
    const id = this.ports.newId("ans");
    return messageFact({ id, sessionId, role: "system", content, at: this.at });
  }
}

const isUnfinished = ({ progress }: Task): boolean =>
  progress === "waiting" || progress === "running";

function known(state: WorkspaceState, taskId: string): Task {
  const task = state.tasks.get(taskId);
  if (!task)
    throw new MultiverseError("NOT_FOUND", `There is no task ${taskId}.`, {
      hint: "`multiverse status` lists the tasks.",
    });
  return task;
}

function requestFacts(task: Task, state: WorkspaceState, at: string): NewFact[] {
  if (task.progress === "running")
    throw new MultiverseError("CONFLICT", `Task ${task.id} is running already.`, {
      hint: "Wait for it, or cancel it first.",
    });
  const reason = "asked for by a person";
  return [
    {
      kind: "task.retry_scheduled",
      payload: { taskId: task.id, retryAt: at, reason, cause: "requested" },
    },
    nodeStatus(state, task, "planned"),
  ];
}

function cancelFacts(task: Task): NewFact[] {
  if (task.progress !== "waiting")
    throw new MultiverseError("CONFLICT", `Task ${task.id} is not waiting or running.`, {
      hint: "Only those can be cancelled.",
    });
  return [{ kind: "task.canceled", payload: { taskId: task.id, attemptId: null, stopped: false } }];
}

/** So that nothing starts by itself at the next start. Where all is done nothing would, and nobody is asked to resume. */
const pauseForShutdown = ({ execution, tasks }: WorkspaceState): NewFact[] =>
  execution.status === "RUNNING" && tasks.some(isUnfinished)
    ? [{ kind: "execution.paused", payload: { reason: "shutdown" } }]
    : [];
