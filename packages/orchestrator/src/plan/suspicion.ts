import type { PlanOperation, PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { isDangerous, urgesDanger } from "./dangerous-command.ts";

/**
 * What a plan change does that the person's message does not ask for and that text from elsewhere (a note, a file, an
 * agent's output) may have talked the planner into. Such a change is not made before a person has agreed to it.
 */
export type Suspicion =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "deletion"; readonly deleted: number; readonly of: number };

/** Words by which people ask for something to go, in both languages. */
const GOING =
  /delet|remov|drop|clear|clean|discard|scrap|throw|get rid|without|instead|replac|start over|from scratch|cancel|undo|forget|no longer|don't need|not need|only|削除|消|除|捨|破棄|やめ|止め|中止|不要|いらない|要らない|無し|なし|なくし|代わり|作り直|やり直|最初から|だけ|のみ/i;

/** Fewer are lost by accident, and easily brought back. */
const FEW_DELETED = 3;

/** Operations per step, where there are many. */
const STEP = 100;

export function* suspicionOf(
  before: WorkspaceState,
  { operations }: Pick<PlanPatch, "operations">,
  message: string,
): Generator<undefined, Suspicion | null> {
  for (const [i, operation] of operations.entries()) {
    if (i > 0 && i % STEP === 0) yield;
    for (const command of dangersOf(operation))
      if (!message.includes(command)) return { kind: "command", command };
  }
  const deleted = deletedBy(before, operations);
  const of = before.tasks.size;
  const isMost = deleted > FEW_DELETED && deleted * 2 > of;
  return isMost && !GOING.test(message) ? { kind: "deletion", deleted, of } : null;
}

/**
 * Commands that would run by themselves (the test's, and the checks that criteria name), and the lines of a task that
 * tell its worker to run one.
 */
function dangersOf(operation: PlanOperation): string[] {
  if (operation.op !== "create" && operation.op !== "update") return [];
  const { test, acceptanceCriteria = [], title = "", description = "", suggestedImpl } = operation;
  const checks = acceptanceCriteria.flatMap((criterion) =>
    [...criterion.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command),
  );
  const commands = [...(test ? [test.command] : []), ...checks];
  const prose = [title, description, ...(suggestedImpl?.constraints ?? [])];
  const lines = prose.flatMap((text) => text.split("\n"));
  return [...commands.filter(isDangerous), ...lines.filter(urgesDanger)];
}

function deletedBy(before: WorkspaceState, operations: readonly PlanOperation[]): number {
  const gone = new Set<string>();
  for (const operation of operations) {
    if (operation.op !== "delete" || !before.nodes.has(operation.taskId)) continue;
    const ids = [operation.taskId];
    if (operation.cascade)
      for (const id of ids) ids.push(...(before.nodes.get(id)?.children ?? []));
    for (const id of ids) gone.add(id);
  }
  return gone.size;
}

/** What tells one suspicion from another, so that an answer counts for what was asked and nothing else. */
export const suspicionId = (suspicion: Suspicion): string =>
  suspicion.kind === "command" ? `command ${suspicion.command}` : `deletion ${suspicion.deleted}`;
