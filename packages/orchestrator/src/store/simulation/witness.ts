import { apply } from "@multiverse/protocol/apply/apply";
import type { Fact } from "@multiverse/protocol/fact";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import type { Committed, Decide } from "../commit-queue.ts";
import type { Workspace } from "../workspace.ts";

/** Notes what a workspace promised, and later checks that it kept its word. */
export class Witness {
  private readonly acknowledged: Fact[] = [];
  private readonly outOfOrder: string[] = [];
  refusals = 0;

  /** Follows a process: its facts must come in order, each once. */
  watch(workspace: Workspace): void {
    let last = workspace.state.seq;
    workspace.subscribe((facts, state) => {
      for (const fact of facts) {
        if (fact.seq !== last + 1) this.outOfOrder.push(`published ${fact.seq} after ${last}`);
        last = fact.seq;
      }
      if (state.seq !== last)
        this.outOfOrder.push(`published ${last} with the state of ${state.seq}`);
    });
  }

  /** Commits and notes the outcome. A failure is allowed; a lie is not. */
  async commit(workspace: Workspace, decide: Decide): Promise<Committed | null> {
    try {
      const committed = await workspace.commit(decide);
      this.acknowledged.push(...committed.facts);
      return committed;
    } catch {
      this.refusals += 1;
      return null;
    }
  }

  /** Every problem with what is there now, compared with what was promised. */
  async problems(workspace: Workspace): Promise<string[]> {
    const problems = [...this.outOfOrder];
    if (workspace.damage) problems.push(`damage: ${JSON.stringify(workspace.damage)}`);
    const facts = await workspace.readFacts({ after: 0, limit: 1_000_000 });
    const bySeq = new Map(facts.map((fact) => [fact.seq, fact]));
    for (const fact of this.acknowledged) {
      if (bySeq.get(fact.seq)?.id !== fact.id) problems.push(`lost: ${fact.seq} ${fact.kind}`);
    }
    problems.push(...transactionProblems(facts));
    const replayed = stateText(apply(emptyState, facts));
    if (replayed !== stateText(workspace.state))
      problems.push("the state is not what history adds up to");
    return problems;
  }
}

export const stateText = (state: WorkspaceState): string => canonicalJson(saveState(state));

function transactionProblems(facts: readonly Fact[]): string[] {
  const problems: string[] = [];
  facts.forEach((fact, at) => {
    if (fact.seq !== at + 1) problems.push(`seq ${fact.seq} stands at ${at + 1}`);
    const last = fact.i === fact.n - 1;
    const next = facts[at + 1];
    if (!last && (next?.tx !== fact.tx || next.i !== fact.i + 1))
      problems.push(`half a transaction at ${fact.seq}`);
  });
  return problems;
}
