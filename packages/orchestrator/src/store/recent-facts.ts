import type { Fact } from "@multiverse/protocol/fact";

/** The newest facts, for readers that are only a little behind. Bounded in number and, roughly, in bytes. */
export class RecentFacts {
  private facts: { readonly fact: Fact; readonly bytes: number }[] = [];
  private bytes = 0;
  private readonly limits: { readonly facts: number; readonly bytes: number };

  constructor(limits = { facts: 5_000, bytes: 8 * 1_048_576 }) {
    this.limits = limits;
  }

  add(facts: readonly Fact[], bytes: number): void {
    const share = bytes / Math.max(1, facts.length);
    for (const fact of facts) this.facts.push({ fact, bytes: share });
    this.bytes += bytes;
    if (this.facts.length > this.limits.facts * 1.25 || this.bytes > this.limits.bytes * 1.25)
      this.trim();
  }

  /** Everything after `seq`, or null if some of it is no longer here. */
  since(seq: number, newest: number): Fact[] | null {
    if (seq === newest) return [];
    const first = this.facts[0]?.fact.seq;
    if (first === undefined || seq + 1 < first || seq > newest) return null;
    return this.facts.slice(seq + 1 - first).map((entry) => entry.fact);
  }

  private trim(): void {
    let drop = Math.max(0, this.facts.length - this.limits.facts);
    let left = this.facts.slice(drop).reduce((sum, entry) => sum + entry.bytes, 0);
    while (drop < this.facts.length && left > this.limits.bytes)
      left -= this.facts[drop++]?.bytes ?? 0;
    this.facts = this.facts.slice(drop);
    this.bytes = left;
  }
}
