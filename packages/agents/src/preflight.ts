import { MultiverseError } from "@multiverse/protocol/error";
import type { AgentCli } from "./cli/agent-cli.ts";
import type { SandboxHandle } from "./sandbox/sandbox.ts";
import { outOfMemory } from "./worker/out-of-memory.ts";

/** Asks the CLI for its version before it is given work, so that a broken image is told in seconds, not after a run. */
export async function preflight(
  cli: AgentCli,
  handle: SandboxHandle,
  cliPath: string | null,
  signal: AbortSignal,
  memory: string,
): Promise<string> {
  const said: string[] = [];
  const result = await handle.exec(cli.versionPlan(cliPath), signal, ({ line }) => {
    if (said.length < 20) said.push(line);
  });
  if (result.end === "canceled") {
    throw new MultiverseError("CANCELED", "the run was canceled", {
      hint: "Run the task again when you want it to go on.",
    });
  }
  if (result.end === "exited" && result.exitCode === 0) return said.join("\n").trim();
  if (result.end === "oom") throw outOfMemory(memory);
  const why =
    result.end === "exited" ? `exit code ${result.exitCode}` : (result.detail ?? result.end);
  const tail = said.at(-1)?.slice(0, 300);
  throw new MultiverseError(
    "SANDBOX_FAILED",
    `${cli.command} does not answer in ${handle.image} (${why})${tail ? `: ${tail}` : ""}`,
    {
      hint: `Build the image anew with \`multiverse images build ${cli.kind}\`, or correct docker_image and cli_path.`,
    },
  );
}
