/**
 * Files that tools run or obey by themselves when someone opens the project: a change in one of them is worth a look
 * before anything is started.
 */
const RISKY: readonly RegExp[] = [
  /(^|\/)\.(claude|codex|gemini|cursor|vscode|idea|devcontainer|husky)\//,
  /(^|\/)\.github\/workflows\//,
  /(^|\/)\.git[^/]*$/,
  /(^|\/)\.(mcp\.json|envrc|npmrc|yarnrc[^/]*|env)$/,
  /(^|\/)(package\.json|Makefile)$/,
  /\.code-workspace$/,
];

export const isRiskyPath = (path: string): boolean => RISKY.some((pattern) => pattern.test(path));
