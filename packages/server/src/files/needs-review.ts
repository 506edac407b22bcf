/**
 * Whether a person should look at a changed file before opening the project, installing it or pushing it: editors, git,
 * package managers, CI and other coding agents run or obey such files by themselves.
 */
export function needsReview(path: string, before: Buffer | null, after: Buffer | null): boolean {
  const name = path.toLowerCase(); // some file systems do not tell `.VSCode` from `.vscode`
  if (OBEYED.some((pattern) => pattern.test(name))) return true;
  return /(^|\/)package\.json$/.test(name) && partsThatRun(before) !== partsThatRun(after);
}

const OBEYED: readonly RegExp[] = [
  /(^|\/)\.(claude|codex|gemini|cursor|windsurf|zed|vscode|idea|devcontainer|husky|circleci)\//,
  /(^|\/)\.github\/(workflows|actions)\//,
  /(^|\/)\.git(\/|$)/,
  /(^|\/)\.git(?!ignore$|keep$)[^/]*$/,
  /(^|\/)\.agent-runner\/patterns\.yaml$/,
  /(^|\/)\.(mcp\.json|envrc|npmrc|pnpmfile\.cjs|yarnrc[^/]*|pre-commit-config\.ya?ml)$/,
  /(^|\/)\.env[^/]*$/,
  /(^|\/)(gnu)?makefile$/,
  /(^|\/)(justfile|jenkinsfile|azure-pipelines\.ya?ml|lefthook\.ya?ml)$/,
  /\.code-workspace$/,
];

/** The parts of a package.json that npm runs or fetches; a text that is none counts as a part of its own. */
function partsThatRun(bytes: Buffer | null): string {
  if (bytes === null) return "[]";
  try {
    const { scripts, ...rest } = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    const fetched = Object.entries(rest).filter(([key]) => /dependencies$|^overrides$/i.test(key));
    return scripts === undefined && fetched.length === 0
      ? "[]"
      : JSON.stringify([scripts, fetched]);
  } catch {
    return bytes.toString("utf8");
  }
}
