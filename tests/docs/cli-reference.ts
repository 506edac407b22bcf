import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";
import { runCommand } from "../harness/run-command.ts";

/** docs/cli.md, from what both programs print with --help. */
export async function cliReference(): Promise<string> {
  const multiverse = await helpOf("multiverse", []);
  const runner = await helpOf("agent-runner", []);
  return `# Command line

<!-- Generated from --help by tests/docs/cli-reference.ts; update with: npx vitest run tests/docs -u -->

In a clone, after \`npm run build\`, write \`npx --no-install multiverse\` and \`npx --no-install agent-runner\`; where the package
is installed, \`npx multiverse\` and \`npx agent-runner\`. Exit codes of \`multiverse\`: 0 for success, 1 for a failure (\`run\`: not
every task succeeded), 3 when another process has the workspace open, 130 after Ctrl-C.

${multiverse.join("\n\n")}

${runner.join("\n\n")}
`;
}

/** A section for a command, and one for each of its sub-commands. */
async function helpOf(program: string, command: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(
    process.execPath,
    [join(root, `dist/${program}.mjs`), ...command, "--help"],
    { env: { PATH: process.env["PATH"], HOME: join(root, "test-results"), COLUMNS: "80" } },
  );
  if (code !== 0) throw new Error(`${program} ${command.join(" ")} --help: ${stderr}`);
  const title = [program, ...command].join(" ");
  const section = `${"#".repeat(Math.min(2 + command.length, 3))} ${title}\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\``;
  const below = [];
  for (const name of subCommands(stdout))
    below.push(...(await helpOf(program, [...command, name])));
  return [section, ...below];
}

function subCommands(help: string): string[] {
  const list = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
  return [...list.matchAll(/^ {2}([a-z]+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== "help");
}
