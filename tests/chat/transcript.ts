import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { Conversation } from "./planner.ts";

const fenced = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``;

/** The request as the model gets it: the first line of the last message. */
function requestOf(told: string): { payload: Record<string, unknown> } {
  const { messages } = JSON.parse(told) as { messages: { content: string }[] };
  const [first = ""] = (messages.at(-1)?.content ?? "").split("\n");
  return JSON.parse(first) as { payload: Record<string, unknown> };
}

/** One turn as a person can read it: what was said, what the model saw and answered, what came of it. */
export function transcript(
  chat: Conversation,
  turn: { said: string; told: string; answer: string; reply: string },
): string {
  const { payload } = requestOf(turn.told);
  const request = JSON.stringify(payload, null, 2).replaceAll(chat.project, "/project");
  const answer: unknown = JSON.parse(turn.answer);
  return [
    "## Person",
    turn.said,
    "## What the model is shown",
    fenced("json", request),
    "## What it answers",
    fenced("json", JSON.stringify(answer, null, 2)),
    "## What the chat says",
    turn.reply,
    "## The plan afterwards",
    planText(chat.workspace.state),
    "",
  ].join("\n\n");
}

function planText(state: WorkspaceState): string {
  const lines: string[] = [];
  const walk = (id: string, depth: number): void => {
    for (const child of state.nodes.get(id)?.children ?? []) {
      const [node, task] = [state.nodes.get(child), state.tasks.get(child)];
      if (!node || !task) continue;
      const after = node.dependencies.length > 0 ? ` after ${node.dependencies.join(", ")}` : "";
      const status = statusOf(state, task, 0);
      lines.push(`${"  ".repeat(depth)}- ${child} ${node.title} (${status})${after}`);
      walk(child, depth + 1);
    }
  };
  walk("node-root", 0);
  for (const item of state.backlog.values())
    if (item.resolvedAt === null) lines.push(`- question: ${item.title}`);
  return lines.length > 0 ? lines.join("\n") : "(empty)";
}
