import { readFile } from "node:fs/promises";
import { BUILT_IN_PATTERNS, expandPatterns, mergePatterns } from "@multiverse/agents/meta/patterns";
import type { Patterns } from "@multiverse/agents/meta/patterns";
import { LIMITS } from "@multiverse/protocol/limits";
import { PatternsFile } from "@multiverse/protocol/patterns-file";
import { parseRestrictedYaml } from "./task-file/restricted-yaml.ts";
import { reallyInside } from "./task-file/inside.ts";

/** Where a repo may bring patterns of its own, unless MULTIVERSE_PATTERNS names a file. */
const IN_REPO = ".agent-runner/patterns.yaml";

/** Ways of working that the meta-agent may name: the product's, and those of the workspace. */
export interface CommandPatterns {
  readonly list: readonly { name: string; summary: string }[];
  /** The prompt with the named patterns behind it, and the names that nobody knows. */
  readonly expand: (
    prompt: string,
    names: readonly string[],
  ) => { prompt: string; unknown: readonly string[] };
}

/** The command patterns of a run. A file of the workspace that cannot be used is a warning. */
export async function openPatterns(
  repoPath: string,
  named: string | undefined,
  warn: (message: string) => void,
): Promise<CommandPatterns> {
  const patterns = await ownPatterns(repoPath, named, warn);
  return {
    list: Object.entries(patterns).map(([name, { summary }]) => ({ name, summary })),
    expand: (prompt, names) => expandPatterns(patterns, prompt, names),
  };
}

async function ownPatterns(
  repoPath: string,
  named: string | undefined,
  warn: (message: string) => void,
): Promise<Patterns> {
  const text = named ? await readFile(named, "utf8").catch(() => null) : await inRepo(repoPath);
  if (text === null) {
    if (named) warn(`the patterns file ${JSON.stringify(named)} cannot be read`);
    return BUILT_IN_PATTERNS;
  }
  const yaml = text.length > LIMITS.taskFileBytes ? [] : parseRestrictedYaml(text);
  const parsed = Array.isArray(yaml) ? null : PatternsFile.safeParse(yaml.value);
  if (parsed?.success) return mergePatterns(parsed.data.patterns);
  warn(
    `the patterns file ${JSON.stringify(named ?? IN_REPO)} is not usable; the built-in patterns are used`,
  );
  return BUILT_IN_PATTERNS;
}

async function inRepo(repoPath: string): Promise<string | null> {
  try {
    const path = await reallyInside(repoPath, IN_REPO);
    return path === undefined ? null : await readFile(path, "utf8");
  } catch {
    return null;
  }
}
