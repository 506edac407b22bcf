import type { Clock, Random } from "@multiverse/protocol/clock";
import type { Candidate, CategoryChoice } from "@multiverse/protocol/tooling";
import type { CooldownGate } from "./cooldown.ts";
import { selectCandidate } from "./select.ts";

export interface ChooserOptions {
  readonly choice: CategoryChoice;
  /** Why a candidate cannot be used on this machine; null if it can. */
  readonly problemWith: (candidate: Candidate) => Promise<string | null>;
  /** Tells accounts apart: everybody who uses the same tool with the same account shares one gate. */
  readonly credentialOf: (candidate: Candidate) => string;
  readonly gate: CooldownGate;
  readonly random: Random;
  readonly clock: Clock;
}

export type Chosen =
  | { readonly candidate: Candidate }
  /** Nobody can be used now; `retryAt` is when the first of those that are cooling may be asked again. */
  | {
      readonly candidate: null;
      readonly retryAt: Date | null;
      readonly problems: readonly string[];
    };

/** Picks who does the next step, and learns from how it went. One per task and category. */
export interface Chooser {
  choose(): Promise<Chosen>;
  /** `limited`: refused for now. `answered`: whatever came, it was no limit. `unknown`: stopped before it could tell. */
  settle(
    candidate: Candidate,
    verdict: "limited" | "answered" | "unknown",
    retryAt?: string | null,
  ): Promise<void>;
}

export function createChooser(options: ChooserOptions): Chooser {
  const { choice, gate, clock } = options;
  const keyOf = (candidate: Candidate): string =>
    `${candidate.tool}:${options.credentialOf(candidate)}`;
  const probing = new Set<string>();
  /** Without fallback a step stays with whom it began. */
  let pinned: Candidate | null = null;

  async function look(candidate: Candidate) {
    const problem = await options.problemWith(candidate);
    const until = problem === null ? await gate.closedUntil(keyOf(candidate)) : null;
    return { candidate, problem, until, available: problem === null, cooling: until !== null };
  }

  async function choose(): Promise<Chosen> {
    const refused = new Map<Candidate, Date>();
    const turn = choice.strategy === "round_robin" ? await gate.turn(turnKey(choice)) : 0;
    for (;;) {
      const all = pinned === null ? choice.candidates : [pinned];
      const standings = await Promise.all(all.map(look));
      const fresh = standings.map((standing) => ({
        ...standing,
        cooling: standing.cooling || refused.has(standing.candidate),
      }));
      const candidate = selectCandidate(choice.strategy, fresh, options.random, turn);
      if (candidate === null) {
        const times = standings.flatMap(
          ({ candidate: each, until }) => until ?? refused.get(each) ?? [],
        );
        const problems = standings.flatMap(({ problem }) => problem ?? []);
        return { candidate: null, retryAt: earliest(times), problems };
      }
      const entry = await gate.enter(keyOf(candidate));
      if (entry.open) {
        if (entry.probe) probing.add(keyOf(candidate));
        return { candidate };
      }
      refused.set(candidate, entry.until);
    }
  }

  return {
    choose,
    async settle(candidate, verdict, retryAt = null) {
      const key = keyOf(candidate);
      const wasProbe = probing.delete(key);
      if (verdict === "limited") {
        if (!choice.fallbackOnRateLimit) pinned = candidate;
        const said = retryAt === null ? Number.NaN : Date.parse(retryAt);
        const until = Number.isNaN(said)
          ? clock.now().getTime() + choice.cooldownSec * 1_000
          : said;
        await gate.close(key, new Date(until));
        return;
      }
      pinned = null;
      if (wasProbe) await (verdict === "answered" ? gate.reopen(key) : gate.release(key));
    },
  };
}

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));

const turnKey = (choice: CategoryChoice): string =>
  choice.candidates.map(({ tool, model }) => `${tool}/${model}`).join(",");
