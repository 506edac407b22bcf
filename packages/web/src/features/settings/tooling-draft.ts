import {
  Tooling,
  TOOL_CATEGORIES,
  type Candidate,
  type CategoryChoice,
  type Profile,
  type ToolCategory,
} from "@multiverse/protocol/tooling";
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

export const newCandidate: Candidate = {
  tool: "codex-cli",
  model: "",
  weight: 1,
  flags: [],
  env: {},
  toolSpecific: {},
};

/** A category that names one worker, to start from. */
const newChoice: CategoryChoice = {
  strategy: "weighted",
  fallbackOnRateLimit: true,
  cooldownSec: 120,
  candidates: [newCandidate],
};

/** Categories a profile does not name yet. */
export const freeCategories = (profile: Profile): ToolCategory[] =>
  TOOL_CATEGORIES.filter((name) => profile.categories[name] === undefined);

/** A profile's category after some changes; one it did not have starts with one candidate. */
export const changeCategory = (
  tooling: Tooling,
  profileId: string,
  category: ToolCategory,
  changes: Partial<CategoryChoice> = {},
): Tooling =>
  changeProfile(tooling, profileId, (profile) => {
    const choice = profile.categories[category] ?? newChoice;
    return {
      ...profile,
      categories: { ...profile.categories, [category]: { ...choice, ...changes } },
    };
  });

export const removeCategory = (
  tooling: Tooling,
  profileId: string,
  category: ToolCategory,
): Tooling =>
  changeProfile(tooling, profileId, (profile) => {
    const { [category]: _gone, ...categories } = profile.categories;
    return { ...profile, categories };
  });

export const renameProfile = (tooling: Tooling, id: string, name: string): Tooling =>
  changeProfile(tooling, id, (profile) => ({ ...profile, name }));

/** One more profile, in use from now on: a copy of another, or one with a worker alone. */
export function addProfile(tooling: Tooling, name: string, like?: Profile): Tooling {
  const id = freeId(tooling, name);
  const categories = like?.categories ?? { worker: newChoice };
  return {
    ...tooling,
    activeProfile: id,
    profiles: [...tooling.profiles, { id, name, categories }],
  };
}

/** Without a profile; another takes its place if it was in use. */
export function removeProfile(tooling: Tooling, id: string): Tooling {
  const profiles = tooling.profiles.filter((profile) => profile.id !== id);
  const activeProfile =
    tooling.activeProfile === id ? (profiles[0]?.id ?? "") : tooling.activeProfile;
  return { ...tooling, profiles, activeProfile };
}

/** The name as an id nobody has: lower case letters and digits, numbered when taken. */
function freeId(tooling: Tooling, name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const base = (plain || "profile").slice(0, 80);
  const taken = new Set(tooling.profiles.map((profile) => profile.id));
  let id = base;
  for (let n = 2; taken.has(id); n += 1) id = `${base}-${n}`;
  return id;
}

/** A share of 100, as the weights of a category work out. Weights of zero or less count as one. */
export function shareOf(candidate: Candidate, all: readonly Candidate[]): number {
  const weight = (c: Candidate) => (c.weight <= 0 ? 1 : c.weight);
  const total = all.reduce((sum, c) => sum + weight(c), 0);
  return total === 0 ? 0 : Math.round((100 * weight(candidate)) / total);
}
