import type { Fact } from "@multiverse/protocol/fact";
import type { WorkspaceState } from "@multiverse/protocol/state";

export type Listener = (facts: readonly Fact[], state: WorkspaceState) => void;

/** Everyone who follows the facts, each told in order. An error of one is its own affair. */
export class Subscribers {
  private readonly listeners = new Set<Listener>();
  private readonly onProblem: (message: string, error: unknown) => void;

  constructor(onProblem: (message: string, error: unknown) => void) {
    this.onProblem = onProblem;
  }

  add(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(facts: readonly Fact[], state: WorkspaceState): void {
    for (const listener of this.listeners) this.tellOne(listener, facts, state);
  }

  /** One a step. Who comes or goes meanwhile is told of what follows, as always. */
  *tellInTurn(facts: readonly Fact[], state: WorkspaceState): Generator<undefined, void> {
    const present = [...this.listeners];
    for (const listener of present) {
      if (this.listeners.has(listener)) this.tellOne(listener, facts, state);
      yield;
    }
  }

  private tellOne(listener: Listener, facts: readonly Fact[], state: WorkspaceState): void {
    try {
      listener(facts, state);
    } catch (error) {
      this.onProblem("a subscriber failed", error);
    }
  }
}
