import { join } from "node:path";
import type { ChatMessage } from "@multiverse/protocol/chat-message";
import type { SavedState } from "@multiverse/protocol/saved-state";
import type { FileSystem } from "../file-system.ts";
import { orderedFiles } from "../history-order.ts";
import { scanHistory } from "../scan-history.ts";
import type { EntityWriter } from "./entity-writer.ts";

/** Gathers what only the facts carry, for the attempts and conversations whose files lack it. */
export async function readFromHistory(
  fs: FileSystem,
  dir: string,
  wanted: { readonly attempts: ReadonlySet<string>; readonly sessions: ReadonlySet<string> },
  entities: EntityWriter,
): Promise<void> {
  const folder = join(dir, "history");
  const files = (await orderedFiles(fs, folder)).map((file) => file.name);
  const messages = new Map<string, ChatMessage[]>();
  await scanHistory(fs, folder, files, { seq: 0, offset: 0 }, (facts) => {
    for (const fact of facts) {
      if (fact.kind === "attempt.finished" && wanted.attempts.has(fact.payload.attemptId)) {
        entities.results.set(fact.payload.attemptId, fact.payload.result);
      } else if (fact.kind === "workspace.imported") {
        for (const { id, messages: imported } of (fact.payload.stateAt as SavedState).sessions) {
          if (wanted.sessions.has(id)) messages.set(id, [...imported]);
        }
      } else if (
        fact.kind === "chat.message" &&
        wanted.sessions.has(fact.payload.message.sessionId)
      ) {
        const { message } = fact.payload;
        messages.set(message.sessionId, [...(messages.get(message.sessionId) ?? []), message]);
      }
    }
  });
  for (const [id, found] of messages) {
    const known = new Set(found.map((message) => message.id));
    const newer = entities.messages.get(id)?.filter((message) => !known.has(message.id)) ?? [];
    entities.messages.set(id, [...found, ...newer]);
    entities.rebuilt.add(id);
  }
}
