import { MultiverseError } from "@multiverse/protocol/error";
import type { Attempt } from "@multiverse/protocol/attempt";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Task } from "@multiverse/protocol/task";
import { openItem, resolveFacts } from "./backlog.ts";
import { openChat } from "./chat/chat.ts";
import { messageFact } from "./chat/messages.ts";
import { hasBlockingQuestion, isPlanningQuestion } from "./chat/questions.ts";
import { answerByDefault } from "./chat/default-answers.ts";
import { executionFacts } from "./execute/execution.ts";
import { nodeStatus } from "./execute/finish.ts";
import { runLoop, type LoopOptions } from "./execute/loop.ts";
import type { Orchestrator } from "./orchestrator.ts";
import { patchToFacts } from "./plan/patch-to-facts.ts";
import { undoFacts } from "./plan/undo.ts";

export interface OrchestratorOptions extends LoopOptions {
  /** After this long a question with a default answers itself; null = a person always answers. */
  readonly defaultAnswerMs: number | null;
}

/** Wires plan, chat and execution of one open workspace to its store. */
export function createOrchestrator(options: OrchestratorOptions): Orchestrator {
  const { workspace, ports } = options;
  const { clock } = ports;
  const now = () => clock.now().toISOString();
  const person = { by: "person" } as const;
  const loop = runLoop(options);

  const orchestrator: Orchestrator = {
    sendMessage: (sessionId, text, clientId) => chat.send(sessionId, text, clientId),

    async setExecution(action) {
      await workspace.commit((state) => executionFacts(state, action), person);
      if (action === "stop") await loop.stopAll();
    },

    async runTask(taskId) {
      await workspace.commit((state) => {
        const task = known(state, taskId);
        if (task.progress === "running")
          throw new MultiverseError("CONFLICT", `Task ${taskId} is running already.`, {
            hint: "Wait for it, or cancel it first.",
          });
        return [
          {
            kind: "task.retry_scheduled",
            payload: {
              taskId,
              retryAt: now(),
              reason: "asked for by a person",
              cause: "requested",
            },
          },
          nodeStatus(state, task, "planned"),
        ];
      }, person);
    },

    async cancelTask(taskId) {
      const attempt = runningAttempt(workspace.state, known(workspace.state, taskId));
      if (attempt) return loop.stopAttempt(attempt.id);
      await workspace.commit((state) => {
        const task = known(state, taskId);
        if (task.progress !== "waiting")
          throw new MultiverseError("CONFLICT", `Task ${taskId} is not waiting or running.`, {
            hint: "Only those can be cancelled.",
          });
        return [{ kind: "task.canceled", payload: { taskId, attemptId: null, stopped: false } }];
      }, person);
    },

    async changePlan(operations) {
      let created: readonly string[] = [];
      await workspace.commit((state) => {
        const patch = { operations: [...operations], potentialConflicts: [] };
        const change = patchToFacts(state, patch, {
          text: "",
          by: "person",
          at: now(),
          projectRoot: workspace.projectRoot,
        });
        created = change.created;
        return [...change.facts];
      }, person);
      return { created: [...created] };
    },

    async undoLastChange() {
      const facts = await undoFacts(workspace, now());
      await workspace.commit((state) => facts(state), { by: "undo" });
    },

    async resolveBacklog(id, text, choice) {
      const item = openItem(workspace.state, id);
      const sessionId = item.metadata["sessionId"];
      const planning = isPlanningQuestion(item) && typeof sessionId === "string";
      const { state } = await workspace.commit((before) => {
        const resolved = resolveFacts(before, { id, text, choice, at: now() });
        if (!planning || !text.trim()) return resolved;
        const said = {
          id: ports.newId("ans"),
          sessionId,
          role: "system" as const,
          content: `${item.title}\n→ ${text}`,
          at: now(),
        };
        return [...resolved, messageFact(said)];
      }, person);
      if (planning && item.metadata["blocking"] === true && !hasBlockingQuestion(state))
        chat.replan(sessionId);
    },

    async deleteBacklog(id) {
      await workspace.commit((state) => {
        if (!state.backlog.has(id))
          throw new MultiverseError("NOT_FOUND", `There is no backlog item ${id}.`, {
            hint: "`multiverse backlog` lists them.",
          });
        if ([...state.tasks.values()].some((task) => task.waitingFor === id)) {
          throw new MultiverseError("CONFLICT", `Tasks wait for backlog item ${id}.`, {
            hint: "Resolve it instead, so that they can go on.",
          });
        }
        return [{ kind: "backlog.deleted", payload: { backlogId: id } }];
      }, person);
    },

    async restoreSnapshot(id, force) {
      await workspace.restoreSnapshot(id, { force, by: "person", stop: () => loop.stopAll() });
    },

    processes: () => loop.running,

    async close({ detach }) {
      defaults.close();
      await chat.close();
      if (!detach && workspace.state.execution.status === "RUNNING") {
        await workspace.commit((state) =>
          state.execution.status === "RUNNING"
            ? [{ kind: "execution.paused", payload: { reason: "shutdown" } }]
            : [],
        );
      }
      await loop.close({ detach });
    },
  };

  const chat = openChat({
    workspace,
    ports,
    control: (action) => orchestrator.setExecution(action),
  });
  const defaults = answerByDefault(workspace, ports, options.defaultAnswerMs, (id, text) =>
    orchestrator.resolveBacklog(id, text, "answer"),
  );
  return orchestrator;
}

function known(state: WorkspaceState, taskId: string): Task {
  const task = state.tasks.get(taskId);
  if (!task)
    throw new MultiverseError("NOT_FOUND", `There is no task ${taskId}.`, {
      hint: "`multiverse status` lists the tasks.",
    });
  return task;
}

const runningAttempt = (state: WorkspaceState, task: Task): Attempt | undefined =>
  task.progress === "running" && task.currentAttempt
    ? state.attempts.get(task.currentAttempt)
    : undefined;
