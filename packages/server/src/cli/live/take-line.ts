import { errorBody } from "@multiverse/protocol/error";
import type { Client } from "../../client.ts";
import type { Question } from "./news.ts";

export interface Talk {
  readonly client: Client;
  readonly workspaceId: string;
  readonly sessionId: string;
}

/**
 * What someone types: the answer to the question on the screen, else a message to the chat. A question counts as answered
 * as soon as its answer is on the way, so that the next line is not taken for a second one. Says what went wrong.
 */
export function createTalk({ client, workspaceId, sessionId }: Talk) {
  const answered = new Set<string>();
  const workspace = client.api.inWorkspace(workspaceId);
  return async (open: readonly Question[], line: string): Promise<string | null> => {
    const question = open.find(({ id }) => !answered.has(id));
    const text = question ? answerFor(question, line) : line.trim();
    if (text === "") return null;
    try {
      if (!question) {
        await workspace.sendMessage(sessionId, text);
        return null;
      }
      answered.add(question.id);
      await workspace.resolve(question.id, text, "answer");
      return null;
    } catch (error) {
      if (question) answered.delete(question.id);
      return errorBody(error).error.message;
    }
  };
}

/** A number chooses, Enter alone takes the default, anything else is the answer in one's own words. */
export function answerFor({ options, default: usual }: Question, line: string): string {
  const typed = line.normalize("NFKC").trim();
  if (typed === "") return usual ?? "";
  return (/^\d+$/.test(typed) ? options[Number(typed) - 1] : undefined) ?? line.trim();
}
