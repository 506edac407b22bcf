import type { NewId } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { languageOf, type Language } from "../chat/language.ts";
import { messageFact } from "../chat/messages.ts";
import { latestSession } from "./backlog-facts.ts";

const NAMED = 5;

const WORDS: Readonly<Record<Language, (count: number, names: string) => string>> = {
  en: (count, names) =>
    `⚠ The project has changes that are not committed (${count}): ${names}. ` +
    "The tasks will change files beside them. To tell the two apart later, pause, commit or stash yours, and resume.",
  ja: (count, names) =>
    `⚠ プロジェクトにコミットされていない変更があります（${count} 件）: ${names}。` +
    "タスクはこれらと並んでファイルを変更します。区別したい場合は一時停止し、コミットまたは stash してから再開してください。",
};

/** Whether it is worth looking: only before anything ever ran here. Later the changes are the tasks' own. */
export const isUntouched = (state: WorkspaceState): boolean => state.attempts.size === 0;

/** The warning, said where the person last talked, before a task mixes its changes with theirs. Pure. */
export function dirtyTreeFacts(
  state: WorkspaceState,
  files: readonly string[],
  at: string,
  newId: NewId,
): NewFact[] {
  if (files.length === 0 || !isUntouched(state)) return [];
  const sessionId = latestSession(state) ?? newId("chat");
  const said = state.sessions.get(sessionId)?.messages.findLast(({ role }) => role === "user");
  const more = files.length > NAMED ? ", …" : "";
  const names = files.slice(0, NAMED).join(", ") + more;
  const content = WORDS[languageOf(said?.content ?? "")](files.length, names);
  return [messageFact({ id: newId("msg"), sessionId, role: "assistant", content, at })];
}
