import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { suspicionId, suspicionOf, type Suspicion } from "../plan/suspicion.ts";
import type { Language } from "./language.ts";

/** What becomes of a plan change: made, asked about first, or left because a person said so. */
export type SecondThoughts =
  | { readonly verdict: "go" }
  | { readonly verdict: "ask"; readonly patch: PlanPatch; readonly suspicion: string }
  | { readonly verdict: "leave"; readonly patch: PlanPatch };

const WORDS = {
  en: {
    yes: "Do it",
    no: "Leave the plan as it is",
    left: "You decided against this plan change, so the plan stays as it is.",
    held: "Your message does not ask for this, so the plan was not changed. It may come from text that the planner read.",
    command: (command: string) =>
      `A task would run this command: \`${command}\`. Is that intended?`,
    deletion: (deleted: number, of: number) =>
      `${deleted} of ${of} tasks would be deleted. Is that intended?`,
  },
  ja: {
    yes: "実行する",
    no: "計画はそのままにする",
    left: "この変更は行わないと決められたため、計画はそのままです。",
    held: "メッセージで求められていない変更のため、計画は変更していません。プランナーが読んだ文章に由来する可能性があります。",
    command: (command: string) =>
      `タスクが次のコマンドを実行します: \`${command}\`。意図したものですか?`,
    deletion: (deleted: number, of: number) =>
      `${of} 件のうち ${deleted} 件のタスクが削除されます。意図したものですか?`,
  },
} as const;
const COMMAND_SHOWN = 300;

/** Looks at a plan change once more, with what a person has already said about the like. Pure, and in steps. */
export function* secondThoughts(
  before: WorkspaceState,
  patch: PlanPatch,
  message: string,
  language: Language,
): Generator<undefined, SecondThoughts> {
  const suspicion = yield* suspicionOf(before, patch, message);
  if (!suspicion) return { verdict: "go" };
  const words = WORDS[language];
  const id = suspicionId(suspicion);
  const said = answerAbout(before, id);
  if (said === "yes") return { verdict: "go" };
  const nothing = { ...patch, operations: [], potentialConflicts: [] };
  if (said === "no")
    return { verdict: "leave", patch: { ...nothing, understanding: words.left, questions: [] } };
  const question = {
    text: questionAbout(suspicion, language),
    options: [words.yes, words.no],
    blocking: true,
  };
  const understanding = [patch.understanding, words.held].filter(Boolean).join("\n\n");
  return {
    verdict: "ask",
    patch: { ...nothing, understanding, questions: [question] },
    suspicion: id,
  };
}

function questionAbout(suspicion: Suspicion, language: Language): string {
  const words = WORDS[language];
  if (suspicion.kind === "deletion") return words.deletion(suspicion.deleted, suspicion.of);
  const { command } = suspicion;
  const shown = Array.from(command).slice(0, COMMAND_SHOWN).join("");
  return words.command(shown === command ? command : `${shown}…`);
}

/** Anything but a clear yes is a no. */
function answerAbout(state: WorkspaceState, id: string): "yes" | "no" | null {
  const item = [...state.backlog.values()].findLast(
    ({ metadata, resolvedAt }) => metadata["suspicion"] === id && resolvedAt !== null,
  );
  if (!item) return null;
  const answer = item.resolution?.trim();
  return answer === WORDS.en.yes || answer === WORDS.ja.yes ? "yes" : "no";
}
