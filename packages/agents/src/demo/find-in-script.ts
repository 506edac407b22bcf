import { languageOf, slugOf, type Language, type Variables } from "./fill-in.ts";
import type { Plan, Script, TaskScript } from "./script.ts";

export interface Found<Part> {
  readonly part: Part;
  readonly language: Language;
  readonly variables: Variables;
}

const LONGEST_INPUT = 80;

/** The answer to a chat message; null if the script has none. */
export function findPlan(
  script: Script,
  input: string,
  titles: readonly string[],
): Found<Plan> | null {
  const part = script.plans.find(
    ({ match, existing }) =>
      pattern(match).test(input) &&
      (existing === undefined || titles.some((title) => pattern(existing).test(title))),
  );
  if (!part) return null;
  const short = Array.from(input.replace(/\s+/g, " ").trim()).slice(0, LONGEST_INPUT).join("");
  return { part, language: languageOf(input), variables: { input: short, slug: slugOf(short) } };
}

/** How a task goes, by its title; null if the script does not know it. */
export function findTask(script: Script, title: string): Found<TaskScript> | null {
  for (const part of script.tasks) {
    const groups = pattern(part.match).exec(title)?.groups;
    if (!pattern(part.match).test(title)) continue;
    const named = Object.fromEntries(Object.entries(groups ?? {}).map(([k, v]) => [k, v ?? ""]));
    const subject = named["input"] ?? title;
    return {
      part,
      language: languageOf(title),
      variables: { title, slug: slugOf(subject), ...named },
    };
  }
  return null;
}

const pattern = (source: string): RegExp => new RegExp(source, "iu");
