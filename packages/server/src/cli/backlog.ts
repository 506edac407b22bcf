import { BACKLOG_CHOICES, type BacklogChoice } from "@multiverse/protocol/backlog";
import { MultiverseError } from "@multiverse/protocol/error";
import { requireServer } from "../client.ts";
import type { CliContext } from "./context.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";
import { safeText } from "./terminal.ts";

/** `multiverse backlog`: what waits for a person. */
export async function backlog(
  context: CliContext,
  flags: WorkspaceFlags & { readonly all?: boolean; readonly json?: boolean },
): Promise<number> {
  const { terminal } = context;
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  const { items } = await client.api.inWorkspace(id).backlog(flags.all);
  if (flags.json) terminal.out(`${JSON.stringify({ items })}\n`);
  else if (items.length === 0) terminal.out("nothing waits for you\n");
  else
    for (const item of items) {
      const options = Array.isArray(item.metadata["options"]) ? item.metadata["options"] : [];
      const done = item.resolvedAt ? `  → ${safeText(item.resolution ?? "", false)}` : "";
      terminal.out(`${item.id}  ${item.type}  ${safeText(item.title, false)}${done}\n`);
      for (const option of options) terminal.out(`    ${safeText(String(option), false)}\n`);
      if (!item.resolvedAt) terminal.out(`    answer: multiverse answer ${item.id} "…"\n`);
    }
  return 0;
}

/** `multiverse answer`: resolves an item, with words or with a decision. */
export async function answer(
  context: CliContext,
  item: string,
  text: string,
  flags: WorkspaceFlags & { readonly choice?: string },
): Promise<number> {
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  await client.api.inWorkspace(id).resolve(item, text, choiceOf(flags.choice));
  context.terminal.out("done\n");
  return 0;
}

function choiceOf(text: string | undefined): BacklogChoice | undefined {
  const choice = BACKLOG_CHOICES.find((each) => each === text);
  if (text === undefined || choice) return choice;
  throw new MultiverseError("INVALID_INPUT", `there is no choice ${text}`, {
    hint: `Choose one of ${BACKLOG_CHOICES.join(", ")}.`,
  });
}
