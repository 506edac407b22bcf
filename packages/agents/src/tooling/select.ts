import type { Random } from "@multiverse/protocol/clock";
import type { Candidate, CategoryChoice } from "@multiverse/protocol/tooling";

export interface Standing {
  readonly candidate: Candidate;
  readonly available: boolean;
  readonly cooling: boolean;
}

/**
 * One candidate out of those that can be used now; null if there is none. `turn` counts the choices made so far, for
 * round robin: it walks the whole list, so that one that comes back keeps its place.
 */
export function selectCandidate(
  strategy: CategoryChoice["strategy"],
  standings: readonly Standing[],
  random: Random,
  turn: number,
): Candidate | null {
  const usable = standings.filter(({ available, cooling }) => available && !cooling);
  const [first] = usable;
  if (first === undefined) return null;
  switch (strategy) {
    case "priority":
      return first.candidate;
    case "round_robin":
      return inTurn(standings, turn);
    case "weighted":
      return byWeight(usable, random());
  }
}

function inTurn(standings: readonly Standing[], turn: number): Candidate | null {
  for (let i = 0; i < standings.length; i++) {
    const standing = standings[(turn + i) % standings.length];
    if (standing?.available && !standing.cooling) return standing.candidate;
  }
  return null;
}

function byWeight(usable: readonly Standing[], chance: number): Candidate | null {
  const weights = usable.map(({ candidate }) => (candidate.weight > 0 ? candidate.weight : 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = chance * total;
  for (const [i, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return usable[i]?.candidate ?? null;
  }
  return usable.at(-1)?.candidate ?? null;
}
