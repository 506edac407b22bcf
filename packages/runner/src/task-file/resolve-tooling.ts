import type { Tooling } from "@multiverse/protocol/tooling";
import { resolveReferences } from "./env-references.ts";
import type { Env } from "./env-references.ts";

/** The tooling with every candidate's `env:` references looked up; a variable that is not set is left out. */
export function resolveTooling(tooling: Tooling | null, env: Env): Tooling | null {
  if (!tooling) return null;
  const profiles = tooling.profiles.map((profile) => ({
    ...profile,
    categories: Object.fromEntries(
      Object.entries(profile.categories).map(([name, category]) => [
        name,
        category && {
          ...category,
          candidates: category.candidates.map((candidate) => ({
            ...candidate,
            env: resolveReferences(candidate.env, env),
          })),
        },
      ]),
    ),
  }));
  return { ...tooling, profiles };
}
