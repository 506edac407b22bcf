import manifest from "../package.json" with { type: "json" };
import type { Process } from "./cli/agent-runner.ts";

/** stdout or stderr. A reader that went away must not end the run: the note and the files are still wanted. */
function terminal(stream: NodeJS.WriteStream) {
  stream.on("error", () => {});
  return {
    write: (text: string) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: () => stream.columns || 80,
  };
}

async function main(): Promise<void> {
  process.exitCode = 1; // should everything be waited for in vain, that is no success
  const args = process.argv.slice(2);
  if (args.includes("--demo-worker")) {
    const { runDemoWorker } = await import("@multiverse/agents/demo/demo-worker");
    process.exitCode = await runDemoWorker(process.stdin, args);
    return;
  }
  const host: Process = {
    args,
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: terminal(process.stdout),
    stderr: terminal(process.stderr),
    pid: process.pid,
    exit: (code) => process.exit(code),
    version: manifest.version,
  };
  const { agentRunner } = await import("./cli/agent-runner.ts");
  process.exit(await agentRunner(host));
}

main().catch((error: unknown) => {
  process.stderr.write(
    `agent-runner: something broke on our side: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
});
