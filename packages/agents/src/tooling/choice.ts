import { metaKind } from "./tool-name.ts";
import type {
  Candidate,
  CategoryChoice,
  Tooling,
  ToolCategory,
} from "@multiverse/protocol/tooling";

/**
 * The candidates for a category: the active profile's, `profiles[0]` if that is not there, the category `meta` if the
 * profile does not have this one. A forced tool is the only candidate, for everything, without fallback. Null: nobody
 * configured anything, so the task's own settings stand.
 */
export function choiceFor(tooling: Tooling | null, category: ToolCategory): CategoryChoice | null {
  if (tooling === null) return null;
  const forced = forcedCandidate(tooling);
  if (forced)
    return {
      strategy: "priority",
      fallbackOnRateLimit: false,
      cooldownSec: 120,
      candidates: [forced],
    };
  const profile =
    tooling.profiles.find(({ id }) => id === tooling.activeProfile) ?? tooling.profiles[0];
  const choice = profile?.categories[category] ?? profile?.categories.meta;
  if (choice === undefined) return null;
  if (category !== "worker") return choice;
  // A chat endpoint can think but not work.
  const candidates = choice.candidates.filter(({ tool }) => tool !== "openai-chat");
  return candidates.length > 0 ? { ...choice, candidates } : null;
}

function forcedCandidate({ force }: Tooling): Candidate | null {
  if (!force.enabled) return null;
  const tool = metaKind(force.tool);
  if (tool === undefined) return null;
  return { tool, model: force.model, weight: 1, flags: [], env: {}, toolSpecific: {} };
}
