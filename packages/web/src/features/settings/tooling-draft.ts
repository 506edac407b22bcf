import {
  Tooling,
  type Candidate,
  type CategoryChoice,
  type Profile,
} from "@multiverse/protocol/tooling";
import { TOOL_CATEGORIES, type ToolCategory } from "@multiverse/protocol/tooling";
import { problems } from "./problems.ts";

export type ParsedTooling =
  | { readonly tooling: Tooling; readonly problems: readonly [] }
  | { readonly tooling: null; readonly problems: readonly string[] };

/** Raw JSON as typed: either a tooling configuration or the places where it is wrong. */
export function parseTooling(text: string): ParsedTooling {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { tooling: null, problems: [error instanceof Error ? error.message : String(error)] };
  }
  const parsed = Tooling.safeParse(value);
  return parsed.success
    ? { tooling: parsed.data, problems: [] }
    : { tooling: null, problems: problems(parsed.error) };
}

export const showTooling = (tooling: Tooling): string => JSON.stringify(tooling, null, 2);

/** The profile in use: the active one, or the first. */
export const activeProfile = (tooling: Tooling): Profile | undefined =>
  tooling.profiles.find((profile) => profile.id === tooling.activeProfile) ?? tooling.profiles[0];

/** Categories a profile names, in the usual order; the others fall back to `meta`. */
export const categoriesOf = (profile: Profile): [ToolCategory, CategoryChoice][] =>
  TOOL_CATEGORIES.flatMap((name) => {
    const choice = profile.categories[name];
    return choice ? [[name, choice] as [ToolCategory, CategoryChoice]] : [];
  });

function changeProfile(
  tooling: Tooling,
  id: string,
  change: (profile: Profile) => Profile,
): Tooling {
  return {
    ...tooling,
    profiles: tooling.profiles.map((profile) => (profile.id === id ? change(profile) : profile)),
  };
}

export const changeCategory = (
  tooling: Tooling,
  profileId: string,
  category: ToolCategory,
  changes: Partial<CategoryChoice>,
): Tooling =>
  changeProfile(tooling, profileId, (profile) => {
    const choice = profile.categories[category];
    if (!choice) return profile;
    return {
      ...profile,
      categories: { ...profile.categories, [category]: { ...choice, ...changes } },
    };
  });

export const newCandidate: Candidate = {
  tool: "codex-cli",
  model: "",
  weight: 1,
  flags: [],
  env: {},
  toolSpecific: {},
};

/** A share of 100, as the weights of a category work out. Weights of zero or less count as one. */
export function shareOf(candidate: Candidate, all: readonly Candidate[]): number {
  const weight = (c: Candidate) => (c.weight <= 0 ? 1 : c.weight);
  const total = all.reduce((sum, c) => sum + weight(c), 0);
  return total === 0 ? 0 : Math.round((100 * weight(candidate)) / total);
}
