import { access } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { AgentCli } from "@multiverse/agents/cli/agent-cli";
import { dockerSocket } from "@multiverse/agents/docker/socket";

/** The machine as the server found it at its start: nothing reads the environment later. */
export interface Environment {
  /** Every variable; secrets among them, so it is never logged or sent. */
  readonly env: Readonly<Record<string, string>>;
  readonly homeFolder: string;
  readonly path: string;
}

/** Where a CLI's login was found: the variable's or file's name, never a value. Null if there is none. */
export async function loginOf(
  { login }: Pick<AgentCli, "login">,
  { env, homeFolder }: Environment,
): Promise<string | null> {
  const variable = login.env.find((name) => env[name]);
  if (variable !== undefined) return variable;
  for (const file of login.files) {
    const isThere = await access(join(homeFolder, file)).then(
      () => true,
      () => false,
    );
    if (isThere) return `~/${file}`;
  }
  return null;
}

/** Whether a Docker engine answers, and what it says of itself. */
export function pingDocker({
  env,
  homeFolder,
}: Environment): Promise<{ ok: boolean; detail: string }> {
  const socketPath = socketOf(env, homeFolder);
  if (socketPath === null)
    return Promise.resolve({ ok: false, detail: "DOCKER_HOST is not a local socket" });
  return new Promise((resolve) => {
    const ask = request({ socketPath, path: "/_ping", timeout: 2_000 }, (answer) => {
      answer.resume();
      const detail = `API ${String(answer.headers["api-version"] ?? "unknown")} at ${socketPath}`;
      resolve({ ok: answer.statusCode === 200, detail });
    });
    ask.on("timeout", () => ask.destroy(new Error("no answer within 2 s")));
    ask.on("error", (error) => resolve({ ok: false, detail: error.message }));
    ask.end();
  });
}

export function socketOf(env: Environment["env"], homeFolder: string): string | null {
  try {
    return dockerSocket(env, homeFolder);
  } catch {
    return null; // a remote engine; it cannot see this machine's files
  }
}
