import type { PatternsFile } from "@multiverse/protocol/patterns-file";

/** Ways of working that the meta-agent can name instead of spelling them out. */
export type Patterns = PatternsFile["patterns"];

export const BUILT_IN_PATTERNS: Patterns = {
  implement_feature: {
    summary: "Build a feature from its specification and acceptance criteria",
    instructions: `- Read the specification and the acceptance criteria, and find the files that have to change before changing any.
- Work in small steps; keep the project in a working state after each.
- Follow the style, the structure and the tools that the project already has.
- Write or extend tests for what you add.`,
  },
  run_all_checks: {
    summary: "Run all of the project's own checks and mend what they find",
    instructions: `- Find out how the project checks itself (scripts in package.json, Makefile, CI settings) and run tests first, then lint, type check and build.
- If one fails, read its output, mend the cause and run it again; do not weaken or skip the check.
- If a check cannot run here, say so and why.`,
  },
  ensure_git_clean: {
    summary: "Leave only wanted changes in the working tree",
    instructions: `- Look at \`git status\` and \`git diff\`: remove generated files, debugging output and changes that do not belong to the task.
- Do not commit, do not change branches, do not touch the configuration of git: the difference is reviewed as it stands.`,
  },
  summarize_work_as_json: {
    summary: "Finish with a machine-readable summary of what was run",
    instructions: `- End with one JSON object that lists the main commands and their results, for example:
  { "commands": [ { "cmd": "npm test", "status": "passed" } ], "open_points": [] }`,
  },
};

/** A workspace's own patterns win over the built-in ones of the same name. */
export const mergePatterns = (own: Patterns): Patterns => ({ ...BUILT_IN_PATTERNS, ...own });

/** The prompt with the instructions of the named patterns behind it, each once; names nobody knows are given back. */
export function expandPatterns(
  patterns: Patterns,
  prompt: string,
  names: readonly string[],
): { prompt: string; unknown: string[] } {
  const wanted = [...new Set(names)];
  const known = wanted.flatMap((name) => {
    const pattern = Object.hasOwn(patterns, name) ? patterns[name] : undefined;
    return pattern ? [{ name, ...pattern }] : [];
  });
  const unknown = wanted.filter((name) => !known.some((pattern) => pattern.name === name));
  if (known.length === 0) return { prompt, unknown };
  const sections = known.map(({ name, summary, instructions }) =>
    [`## ${name}`, summary, instructions.trim()].filter((text) => text !== "").join("\n"),
  );
  return { prompt: [prompt.trimEnd(), "# How to work", ...sections].join("\n\n"), unknown };
}
