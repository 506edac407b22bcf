import type { BacklogItem } from "@multiverse/protocol/backlog";
import { MultiverseError } from "@multiverse/protocol/error";
import type { PlanChangeTitles } from "@multiverse/protocol/plan-change";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { ChatStep } from "@multiverse/protocol/signal";
import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Ports } from "../ports.ts";
import { planRequest } from "../plan/plan-request.ts";
import { inSteps } from "../store/give-way.ts";
import type { Workspace } from "../store/workspace.ts";
import { liftQuestionPause } from "./autopilot.ts";
import { readControl, type Control } from "./control-words.ts";
import { explainFailure, planningStopped, turnTooLong } from "./explain-failure.ts";
import { languageOf } from "./language.ts";
import { hasMessage, messageFact, replyId, unanswered } from "./messages.ts";
import { planTurnFacts, type Turn } from "./plan-turn.ts";
import { hasBlockingQuestion, lastAnswered, messageBehind } from "./questions.ts";
import {
  controlReply,
  failureReply,
  statusReply,
  undoReply,
  type ExecutionControl,
} from "./reply.ts";

/** A whole turn, with everything the meta-agent does in it. */
const TURN_MS = 15 * 60_000;

export interface ChatOptions {
  readonly workspace: Workspace;
  readonly ports: Ports;
  /** Execution as the control words steer it. */
  readonly control: (control: ExecutionControl) => Promise<void>;
  readonly undo: () => Promise<PlanChangeTitles>;
}

/**
 * Messages in, plan changes and answers out, one turn after the other: a plan is always made on what the turn before
 * left. Control words do not wait behind a plan that is still being made.
 */
export class Chat {
  private readonly options: ChatOptions;
  private readonly closing = new AbortController();
  private readonly planning = new Set<AbortController>();
  private turns: Promise<void> = Promise.resolve();

  constructor(options: ChatOptions) {
    this.options = options;
    this.pickUp();
  }

  /** The message is durable when this resolves. The same `clientId` again (a retry) changes nothing. */
  async send(
    sessionId: string,
    text: string,
    clientId?: string,
  ): Promise<{ messageId: string; seq: number }> {
    const messageId = clientId ?? this.options.ports.newId("msg");
    const { at } = this;
    const { facts, state } = await this.options.workspace.commit(
      (before) =>
        hasMessage(before, sessionId, messageId)
          ? []
          : [messageFact({ id: messageId, sessionId, role: "user", content: text, at })],
      { by: "person" },
    );
    if (facts.length > 0) this.enqueue({ sessionId, messageId, text });
    return { messageId, seq: state.seq };
  }

  /** Plans the message that a question came from again, with the answers a person has given since. */
  replan(question: BacklogItem): void {
    const asked = messageBehind(this.options.workspace.state, question);
    if (!asked) return;
    const { sessionId, id: askedBy, content: text } = asked;
    this.enqueue({ sessionId, messageId: this.options.ports.newId("again"), askedBy, text });
  }

  /** What is being planned, or waits to be, is given up; the plan stays as it is. */
  stopPlanning(): void {
    for (const turn of this.planning) turn.abort(planningStopped());
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.turns;
  }

  private get at(): string {
    return this.options.ports.clock.now().toISOString();
  }

  /** What a killed process left: messages without an answer, and answers nobody planned with. */
  private pickUp(): void {
    const { state } = this.options.workspace;
    for (const { sessionId, id: messageId, content: text } of unanswered(state))
      this.enqueue({ sessionId, messageId, text });
    const question = lastAnswered(state);
    if (state.execution.pausedFor === "question" && !hasBlockingQuestion(state) && question)
      this.replan(question);
  }

  private enqueue(turn: Turn): void {
    this.progress(turn, "Processing");
    const command = readControl(turn.text);
    if (command) {
      void this.answer(turn, () => this.steer(turn, command));
      return;
    }
    const stop = new AbortController();
    this.planning.add(stop);
    this.turns = this.turns
      .then(() => this.answer(turn, () => this.plan(turn, stop.signal)))
      .finally(() => this.planning.delete(stop));
  }

  private async answer(turn: Turn, work: () => Promise<void>): Promise<void> {
    const { ports } = this.options;
    try {
      await work();
      this.progress(turn, "Completed");
    } catch (error) {
      if (this.closing.signal.aborted) return; // asked again at the next start
      const failure = explainFailure(error);
      this.progress(turn, "Failed", failure.message);
      if (failure.cause !== undefined && failure !== error)
        ports.log("error", "planning failed unexpectedly", { error: stackOf(error) });
      const reply = failureReply(failure, languageOf(turn.text));
      await this.say(turn, reply, liftQuestionPause).catch((unsaid: unknown) =>
        ports.log("error", "a failure could not be answered in the chat", {
          error: String(unsaid),
        }),
      );
    }
  }

  private async steer(turn: Turn, command: Control): Promise<void> {
    const { workspace, ports, control, undo } = this.options;
    const language = languageOf(turn.text);
    if (command === "undo") return this.say(turn, undoReply(await undo(), language));
    if (command === "status") {
      const now = ports.clock.now().getTime();
      return this.say(turn, await inSteps(statusReply(workspace.state, now, language)));
    }
    await control(command);
    return this.say(turn, controlReply(command, language));
  }

  /** A refused patch goes back to the planner once, with the reason. */
  private async plan(turn: Turn, stopped: AbortSignal): Promise<void> {
    using limit = limitOf(this.options.ports.clock);
    const signal = AbortSignal.any([this.closing.signal, stopped, limit.signal]);
    let refusal: string | null = null;
    for (;;) {
      signal.throwIfAborted();
      this.progress(turn, "PlanPatching");
      const patch = await this.ask(turn, refusal, signal);
      this.progress(turn, "Persisting");
      try {
        await this.persist(turn, patch, signal);
        return;
      } catch (error) {
        const refused = error instanceof MultiverseError && error.code === "PATCH_REFUSED";
        if (!refused || refusal !== null) throw error;
        refusal = error.message;
      }
    }
  }

  private async ask(
    { sessionId, messageId, text }: Turn,
    refusal: string | null,
    signal: AbortSignal,
  ): Promise<PlanPatch> {
    const { workspace, ports } = this.options;
    const now = ports.clock.now().getTime();
    const input = { userInput: text, sessionId, messageId, now, refusal };
    try {
      return await ports.planPatch(await inSteps(planRequest(workspace.state, input)), signal);
    } catch (error) {
      signal.throwIfAborted(); // why it was given up says more than how the meta-agent took it
      throw error;
    }
  }

  private async persist(turn: Turn, patch: PlanPatch, signal: AbortSignal): Promise<void> {
    const { workspace, ports } = this.options;
    const { at } = this;
    const { projectRoot } = workspace;
    const planned = { ...turn, patch, projectRoot, at, newId: ports.newId };
    const { facts, state } = await workspace.commitInSteps(
      function* (before) {
        const made = yield* planTurnFacts(before, planned);
        signal.throwIfAborted(); // nothing is planned after a stop was acknowledged
        return made;
      },
      { by: "meta-agent" },
    );
    if (facts.some(({ kind }) => kind === "execution.started" || kind === "execution.resumed")) {
      this.progress(turn, "AutopilotStartingExecution");
      this.progress(turn, "AutopilotScheduling");
    }
    if (hasBlockingQuestion(state)) this.progress(turn, "AutopilotPausedForQuestion");
  }

  private async say(
    { sessionId, messageId }: Turn,
    content: string,
    along: (state: WorkspaceState) => NewFact[] = () => [],
  ): Promise<void> {
    const id = replyId(messageId);
    const { at } = this;
    await this.options.workspace.commit(
      (state) =>
        hasMessage(state, sessionId, id)
          ? []
          : [messageFact({ id, sessionId, role: "assistant", content, at }), ...along(state)],
      { by: "assistant" },
    );
  }

  private progress({ sessionId }: Turn, step: ChatStep, message = ""): void {
    const data = { sessionId, step, message, timestamp: this.at };
    this.options.ports.signal({ signal: "chat:progress", data });
  }
}

/** Aborts with a time-out when a whole turn has passed, by the clock that everything else goes by. */
function limitOf(clock: Ports["clock"]): Disposable & { readonly signal: AbortSignal } {
  const limit = new AbortController();
  const over = new AbortController();
  clock.sleep(TURN_MS, over.signal).then(
    () => limit.abort(turnTooLong()),
    () => {}, // the turn ended first
  );
  return { signal: limit.signal, [Symbol.dispose]: () => over.abort() };
}

const stackOf = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? String(error);
