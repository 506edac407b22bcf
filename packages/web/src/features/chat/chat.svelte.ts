import type { ChatMessage } from "@multiverse/protocol/chat-message";
import type { Ide } from "../../ide.svelte.ts";
import { attempt } from "../../ui/toasts.svelte.ts";
import { chatIsBusy } from "../../workspace/activity.ts";
import { sessionsOf, shownMessages, stillPending, type PendingMessage } from "./chat-session.ts";

/** The conversation of one workspace: which session is shown, what is being sent. */
export class Chat {
  readonly #ide: Ide;
  pending: readonly PendingMessage[] = $state.raw([]);
  earlier: readonly ChatMessage[] = $state.raw([]);

  readonly sessions = $derived.by(() => sessionsOf(this.#ide.workspace.view));
  readonly sessionId = $derived.by(() => this.#ide.chatSession ?? this.sessions[0]?.id ?? null);
  readonly session = $derived.by(() =>
    this.sessionId === null ? undefined : this.#ide.workspace.view.sessions.get(this.sessionId),
  );
  readonly messages = $derived.by(() => shownMessages(this.session, this.earlier));
  readonly waiting = $derived.by(() =>
    stillPending(this.pending, this.session).filter(
      (p) => p.sessionId === null || p.sessionId === this.sessionId,
    ),
  );
  readonly steps = $derived.by(() =>
    this.sessionId === null ? undefined : this.#ide.workspace.activity.chat.get(this.sessionId),
  );
  readonly busy = $derived.by(() => chatIsBusy(this.steps));
  readonly hasEarlier = $derived.by(() => (this.session?.messageCount ?? 0) > this.messages.length);

  constructor(ide: Ide) {
    this.#ide = ide;
  }

  async send(text: string): Promise<void> {
    const message = text.trim();
    if (message === "") return;
    const clientId = `msg-${crypto.randomUUID()}`;
    const draft = { clientId, text: message, messageId: null, error: null };
    this.pending = [...this.waiting, { ...draft, sessionId: this.sessionId }];
    await this.#deliver(clientId, message);
  }

  async resend(clientId: string): Promise<void> {
    const pending = this.pending.find((p) => p.clientId === clientId);
    if (!pending) return;
    this.#update(clientId, { error: null });
    await this.#deliver(clientId, pending.text);
  }

  discard(clientId: string): void {
    this.pending = this.pending.filter((p) => p.clientId !== clientId);
  }

  async startSession(): Promise<void> {
    await attempt(async () => {
      const { id } = await this.#ide.workspace.api.newSession();
      this.openSession(id);
    });
  }

  openSession(id: string): void {
    this.#ide.chatSession = id;
    this.earlier = [];
  }

  async loadEarlier(): Promise<void> {
    const id = this.sessionId;
    if (id === null) return;
    await attempt(async () => {
      const { messages } = await this.#ide.workspace.api.messages(id);
      this.earlier = messages;
    });
  }

  async answer(backlogId: string, text: string): Promise<boolean> {
    return attempt(() => this.#ide.workspace.api.resolve(backlogId, text, "answer"));
  }

  async #deliver(clientId: string, text: string): Promise<void> {
    const { api } = this.#ide.workspace;
    try {
      const sessionId = this.sessionId ?? (await api.newSession()).id;
      this.#ide.chatSession = sessionId;
      this.#update(clientId, { sessionId });
      const { messageId } = await api.sendMessage(sessionId, text, clientId);
      this.#update(clientId, { messageId });
    } catch (error) {
      this.#update(clientId, { error });
    }
  }

  #update(clientId: string, changes: Partial<PendingMessage>): void {
    this.pending = this.pending.map((p) => (p.clientId === clientId ? { ...p, ...changes } : p));
  }
}
