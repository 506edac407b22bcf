import { MultiverseError } from "@multiverse/protocol/error";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { ChatStep } from "@multiverse/protocol/signal";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { latestSession } from "../execute/backlog-facts.ts";
import type { Ports } from "../ports.ts";
import { patchToFacts } from "../plan/patch-to-facts.ts";
import { draftPlan } from "../plan/plan-draft.ts";
import { planRequest } from "../plan/plan-request.ts";
import type { Workspace } from "../store/workspace.ts";
import { autopilot } from "./autopilot.ts";
import { readControl, type Control } from "./control-words.ts";
import { languageOf } from "./language.ts";
import { hasMessage, messageFact, replyId, unanswered } from "./messages.ts";
import { hasBlockingQuestion, planningQuestions } from "./questions.ts";
import { controlReply, failureReply, planReply } from "./reply.ts";

/** A whole turn, with everything the meta-agent does in it. */
const TURN_MS = 15 * 60_000;

export interface Chat {
  send(
    sessionId: string,
    text: string,
    clientId?: string,
  ): Promise<{ messageId: string; seq: number }>;
  /** Plans again with the answers a person has given since. */
  replan(sessionId: string): void;
  close(): Promise<void>;
}

export interface ChatOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  /** Execution as the control words steer it. */
  readonly control: (control: Exclude<Control, "status">) => Promise<void>;
}

interface Turn {
  readonly sessionId: string;
  readonly messageId: string;
  readonly text: string;
}

export function openChat({ workspace, ports, control }: ChatOptions): Chat {
  const { clock, newId } = ports;
  const closing = new AbortController();
  let turns: Promise<void> = Promise.resolve();

  const progress = (sessionId: string, step: ChatStep, message = ""): void =>
    ports.signal({
      signal: "chat:progress",
      data: { sessionId, step, message, timestamp: clock.now().toISOString() },
    });

  const say = (turn: Turn, content: string): Promise<unknown> =>
    workspace.commit(
      (state) =>
        hasMessage(state, turn.sessionId, replyId(turn.messageId))
          ? []
          : [
              messageFact({
                id: replyId(turn.messageId),
                sessionId: turn.sessionId,
                role: "assistant",
                content,
                at: clock.now().toISOString(),
              }),
            ],
      { by: "assistant" },
    );

  async function answer(turn: Turn): Promise<void> {
    const command = readControl(turn.text);
    try {
      if (command) await steer(turn, command);
      else await plan(turn);
      progress(turn.sessionId, "Completed");
    } catch (error) {
      if (closing.signal.aborted) return; // asked again at the next start
      progress(turn.sessionId, "Failed", error instanceof Error ? error.message : String(error));
      await say(turn, failureReply(explained(error), languageOf(turn.text)));
      if (!(error instanceof MultiverseError))
        ports.log("error", "planning failed unexpectedly", {
          error: String((error as Error)?.stack ?? error),
        });
    }
  }

  async function steer(turn: Turn, command: Control): Promise<void> {
    if (command !== "status") await control(command);
    await say(
      turn,
      controlReply(workspace.state, command, clock.now().getTime(), languageOf(turn.text)),
    );
  }

  /** A refused patch goes back to the planner once, with the reason. */
  async function plan(turn: Turn): Promise<void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TURN_MS)]);
    let refusal: string | null = null;
    for (;;) {
      progress(turn.sessionId, "PlanPatching");
      const patch: PlanPatch = await ports.planPatch(request(turn, refusal), signal);
      progress(turn.sessionId, "Persisting");
      try {
        return await persist(turn, patch);
      } catch (error) {
        const refused = error instanceof MultiverseError && error.code === "PATCH_REFUSED";
        if (!refused || refusal !== null) throw error;
        refusal = error.message;
      }
    }
  }

  const request = ({ sessionId, messageId, text }: Turn, refusal: string | null) =>
    planRequest(workspace.state, {
      userInput: text,
      sessionId,
      messageId,
      now: clock.now().getTime(),
      refusal,
    });

  /** The plan, its questions, the answer in the chat and the start of execution are one commit. */
  async function persist(turn: Turn, patch: PlanPatch): Promise<void> {
    const at = clock.now().toISOString();
    const { facts, state } = await workspace.commit(
      (before) => planFacts(before, turn, patch, at),
      { by: "meta-agent" },
    );
    if (
      facts.some((fact) => fact.kind === "execution.started" || fact.kind === "execution.resumed")
    ) {
      progress(turn.sessionId, "AutopilotStartingExecution");
      progress(turn.sessionId, "AutopilotScheduling");
    }
    if (hasBlockingQuestion(state)) progress(turn.sessionId, "AutopilotPausedForQuestion");
  }

  function planFacts(before: WorkspaceState, turn: Turn, patch: PlanPatch, at: string) {
    if (hasMessage(before, turn.sessionId, replyId(turn.messageId))) return [];
    const change = patchToFacts(before, patch, {
      text: turn.text,
      by: "meta-agent",
      at,
      projectRoot: workspace.projectRoot,
    });
    const { facts: questions, asked } = planningQuestions(
      patch.questions,
      turn.sessionId,
      turn.messageId,
      at,
      newId,
    );
    const draft = draftPlan(before, at);
    draft.add(...change.facts, ...questions);
    draft.add(
      messageFact({
        id: replyId(turn.messageId),
        sessionId: turn.sessionId,
        role: "assistant",
        content: planReply(draft.state, patch, change, languageOf(turn.text)),
        at,
        generatedTasks: change.created,
        questions: asked,
      }),
    );
    draft.add(...autopilot(draft.state));
    return draft.facts;
  }

  function enqueue(turn: Turn): void {
    progress(turn.sessionId, "Processing");
    // Control words do not wait behind a plan that is still being made.
    if (readControl(turn.text)) void answer(turn);
    else turns = turns.then(() => answer(turn));
  }

  function replan(sessionId: string): void {
    const asked = workspace.state.sessions
      .get(sessionId)
      ?.messages.findLast((message) => message.role === "user");
    if (asked) enqueue({ sessionId, messageId: newId("again"), text: asked.content });
  }

  /** What a killed process left: messages without an answer, and answers nobody planned with. */
  function pickUp(): void {
    for (const { sessionId, id: messageId, content: text } of unanswered(workspace.state))
      enqueue({ sessionId, messageId, text });
    const { execution } = workspace.state;
    const sessionId = latestSession(workspace.state);
    if (execution.pausedFor === "question" && !hasBlockingQuestion(workspace.state) && sessionId)
      replan(sessionId);
  }

  pickUp();

  return {
    async send(sessionId, text, clientId) {
      const messageId = clientId ?? newId("msg");
      const at = clock.now().toISOString();
      const { facts, state } = await workspace.commit(
        (before) =>
          hasMessage(before, sessionId, messageId)
            ? []
            : [messageFact({ id: messageId, sessionId, role: "user", content: text, at })],
        { by: "person" },
      );
      if (facts.length > 0) enqueue({ sessionId, messageId, text });
      return { messageId, seq: state.seq };
    },
    replan,
    async close() {
      closing.abort();
      await turns;
    },
  };
}

function explained(error: unknown): MultiverseError {
  if (error instanceof MultiverseError) return error;
  if (error instanceof Error && error.name === "TimeoutError") {
    return new MultiverseError("META_TIMEOUT", "The meta-agent did not answer in time.", {
      hint: "Send the message again, or choose a faster model in the settings.",
      retryable: true,
    });
  }
  return new MultiverseError("META_UNAVAILABLE", "The meta-agent could not be asked.", {
    hint: "`multiverse doctor` shows what is missing; the log has the details.",
    cause: error,
  });
}
