import type { FactWire } from "@multiverse/protocol/fact";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import { isPlanFact, PLAN_KINDS, type PlanFact } from "@multiverse/protocol/plan-change";
import { ROOT_ID } from "@multiverse/protocol/plan-node";
import { loadState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import { requireServer, type Client } from "../client.ts";
import type { CliContext } from "./context.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";
import { changeLines, planChanges, titleLines } from "./plan-changes.ts";
import { taskLine } from "./task-lines.ts";
import type { Terminal } from "./terminal.ts";

export interface PlanFlags extends WorkspaceFlags {
  readonly at?: number;
  readonly changes?: boolean;
  readonly json?: boolean;
}

/** `multiverse plan`: the plan as a tree, as it is or was, or how it came about. */
export async function plan(context: CliContext, flags: PlanFlags): Promise<number> {
  const { terminal } = context;
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  if (flags.changes) {
    const changes = planChanges(await planFacts(client, id));
    if (flags.json) terminal.out(`${JSON.stringify({ changes })}\n`);
    else if (changes.length === 0) terminal.out("the plan has not changed yet\n");
    else for (const change of changes) terminal.out(`${changeLines(change).join("\n")}\n`);
    return 0;
  }
  const { seq, state } = await client.api.inWorkspace(id).state(flags.at);
  if (flags.json) terminal.out(`${JSON.stringify({ seq, state })}\n`);
  else terminal.out(`${treeLines(terminal, loadState(state), Date.now()).join("\n")}\nat ${seq}\n`);
  return 0;
}

/** `multiverse undo`: takes back the last change of the plan and says what that was. */
export async function undo(
  context: CliContext,
  flags: WorkspaceFlags & { readonly json?: boolean },
): Promise<number> {
  const client = await requireServer(context.home);
  const { id } = await pickWorkspace(context, client, flags);
  const undone = await client.api.inWorkspace(id).undo();
  const lines = flags.json ? [JSON.stringify(undone)] : titleLines(undone.change);
  context.terminal.out(`${lines.join("\n")}\n`);
  return 0;
}

const PAGE = 1_000;

/** Every fact that changed the plan, in order. */
async function planFacts(client: Client, id: string): Promise<PlanFact[]> {
  const ofKind = async (kind: string): Promise<FactWire[]> => {
    const facts: FactWire[] = [];
    for (;;) {
      const after = facts.at(-1)?.seq ?? 0;
      const page = await client.api.inWorkspace(id).history({ after, limit: PAGE, kind });
      facts.push(...page.facts);
      if (page.facts.length < PAGE) return facts;
    }
  };
  const all = (await Promise.all(PLAN_KINDS.map(ofKind))).flat();
  return all
    .toSorted((a, b) => a.seq - b.seq)
    .map(factFromWire)
    .filter(isPlanFact);
}

function treeLines(terminal: Terminal, state: WorkspaceState, now: number): string[] {
  const lines: string[] = [];
  const open = (state.nodes.get(ROOT_ID)?.children ?? []).map((id) => ({ id, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { id, depth } = next;
    const [node, task] = [state.nodes.get(id), state.tasks.get(id)];
    if (!node) continue;
    const status = task ? statusOf(state, task, now) : "PENDING";
    lines.push(taskLine(terminal, status, `${"  ".repeat(depth)}${id}  ${node.title}`));
    open.push(...node.children.map((child) => ({ id: child, depth: depth + 1 })).reverse());
  }
  return lines.length > 0 ? lines : ["the plan is empty"];
}
