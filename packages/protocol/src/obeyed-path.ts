/**
 * Files that editors, git, package managers, CI or other coding agents run or obey by themselves, without being asked: a
 * change in one of them is worth a look before the project is opened, installed or pushed.
 */
export const isObeyedPath = (path: string): boolean => {
  const name = path.toLowerCase(); // some file systems do not tell `.VSCode` from `.vscode`
  return OBEYED.some((pattern) => pattern.test(name));
};

/** Obeyed as well, but only some of what stands in it. */
export const isPackageFile = (path: string): boolean => /(^|\/)package\.json$/i.test(path);

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
