import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** A fact in a few words: its kind and what it is about. Kinds are the product's own words, the same in every language. */
export function describeFact(fact: Fact, state: WorkspaceState): string {
  const about = subject(fact, state);
  return about === "" ? fact.kind : `${fact.kind} · ${about}`;
}

function subject(fact: Fact, state: WorkspaceState): string {
  const { payload } = fact;
  if (fact.kind === "chat.message") return fact.payload.message.content.slice(0, 80);
  if (fact.kind === "node.created") return fact.payload.node.title;
  if (fact.kind === "backlog.added") return fact.payload.item.title;
  if (fact.kind === "attempt.started") return title(state, fact.payload.attempt.taskId);
  if (fact.kind === "task.created") return title(state, fact.payload.task.nodeId);
  if ("taskId" in payload) return title(state, payload.taskId);
  if ("nodeId" in payload) return title(state, payload.nodeId);
  return "";
}

const title = (state: WorkspaceState, id: string): string =>
  state.nodes.get(state.tasks.get(id)?.nodeId ?? id)?.title || id;
