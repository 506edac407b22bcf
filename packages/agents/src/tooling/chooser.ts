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

/** Picks who does a step, and learns from how it went. One per step: who was limited in it is asked again last. */
export interface Chooser {
  choose(): Promise<Chosen>;
  /** Who would come after this one, as things stand; nothing is asked for yet. */
  after(candidate: Candidate): Promise<Candidate | null>;
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
  const limited = new Set<Candidate>();
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
      const unused = fresh.filter((standing) => !limited.has(standing.candidate));
      const candidate =
        selectCandidate(choice.strategy, unused, options.random, turn) ??
        selectCandidate(choice.strategy, fresh, options.random, turn);
      if (candidate === null) return nobody(standings, refused);
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
    async after(candidate) {
      const others = choice.candidates.filter((each) => each !== candidate && !limited.has(each));
      if (pinned !== null || !choice.fallbackOnRateLimit || others.length === 0) return null;
      const standings = await Promise.all(others.map(look));
      return selectCandidate(choice.strategy, standings, options.random, 0);
    },
    async settle(candidate, verdict, retryAt = null) {
      const key = keyOf(candidate);
      const wasProbe = probing.delete(key);
      if (verdict === "limited") {
        if (!choice.fallbackOnRateLimit) pinned = candidate;
        limited.add(candidate);
        await gate.close(key, untilOf(retryAt, choice.cooldownSec, clock.now()));
        return;
      }
      pinned = null;
      limited.clear();
      if (wasProbe) await (verdict === "answered" ? gate.reopen(key) : gate.release(key));
    },
  };
}

function untilOf(retryAt: string | null, cooldownSec: number, now: Date): Date {
  const said = retryAt === null ? Number.NaN : Date.parse(retryAt);
  return new Date(Number.isNaN(said) ? now.getTime() + cooldownSec * 1_000 : said);
}

interface Looked {
  readonly candidate: Candidate;
  readonly problem: string | null;
  readonly until: Date | null;
}

function nobody(standings: readonly Looked[], refused: ReadonlyMap<Candidate, Date>): Chosen {
  const times = standings.flatMap(({ candidate, until }) => until ?? refused.get(candidate) ?? []);
  const problems = standings.flatMap(({ problem }) => problem ?? []);
  return { candidate: null, retryAt: earliest(times), problems };
}

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));

const turnKey = (choice: CategoryChoice): string =>
  choice.candidates.map(({ tool, model }) => `${tool}/${model}`).join(",");
