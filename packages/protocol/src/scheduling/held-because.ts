import type { Conditions } from "./conditions.ts";
import type { Held } from "./held.ts";

const PAUSED = {
  person: "execution is paused",
  question: "execution is paused for a question",
  shutdown: "execution was paused when the server stopped",
} as const;

const BY: Readonly<Record<Conditions["limitedBy"], string>> = {
  setting: "the setting maxParallel",
  cores: "the cores of this machine",
  memory: "free memory",
  most: "the default",
};

const MOST_PATHS = 3;

/** What holds a task, as one sentence for a person. */
export function heldBecause(held: Held): string {
  switch (held.why) {
    case "idle":
      return "execution has not been started";
    case "paused":
      return PAUSED[held.pausedFor ?? "person"];
    case "gate":
      return held.until === null
        ? "a rate limit holds everything until one task has been answered"
        : `a rate limit holds everything until ${held.until}`;
    case "ending":
      return "waiting for its earlier run to end";
    case "other_alone":
      return `waiting for ${held.title}, which names no files and runs alone`;
    case "alone":
      return `names no files, so it runs alone; waiting for ${held.title}`;
    case "conflict":
      return `conflicts with ${held.title}, which is running${over(held.paths)}`;
    case "slots":
      return `waiting for a slot: all ${held.total} are taken (limited by ${BY[held.limitedBy]})`;
    case "pool":
      return `waiting for a slot in pool ${held.poolId}: all ${held.maxParallel} are taken`;
    case "agents":
      return `waiting for an agent of pool ${held.poolId}: all that can do this are busy`;
    case "capability":
      return `no agent of pool ${held.poolId} can do ${held.wanted.join(", ")}; see worker-pools.json`;
  }
}

function over(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const more = paths.length - MOST_PATHS;
  return ` (${paths.slice(0, MOST_PATHS).join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
}
