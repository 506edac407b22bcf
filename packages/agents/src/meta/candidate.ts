import { createHash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Candidate } from "@multiverse/protocol/tooling";
import type { AgentCli } from "../cli/agent-cli.ts";
import { cliOf } from "../cli/registry.ts";
import { findLogin, loginMissing } from "../login.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Why a candidate cannot be the meta-agent on this machine; null if it can. */
export function problemWith(
  candidate: Pick<Candidate, "tool" | "cliPath" | "env">,
  hostEnv: Env,
): string | null {
  const env = { ...hostEnv, ...candidate.env };
  if (candidate.tool === "mock") return null;
  const cli = cliOf(candidate.tool);
  if (!cli) return env["OPENAI_API_KEY"] ? null : "openai-chat: OPENAI_API_KEY is not set";
  if (candidate.cliPath === undefined && !isOnPath(cli.command, env))
    return `${cli.command} is not installed`;
  return loginOf(cli, env) === null ? loginMissing(cli).message : null;
}

/** Tells accounts apart without saying anything about them. */
export function credentialOf(candidate: Pick<Candidate, "tool" | "env">, hostEnv: Env): string {
  const env = { ...hostEnv, ...candidate.env };
  const cli = cliOf(candidate.tool);
  if (cli) return loginOf(cli, env)?.credential ?? "none";
  return createHash("sha256")
    .update(env["OPENAI_API_KEY"] ?? "")
    .digest("hex")
    .slice(0, 16);
}

const loginOf = (cli: AgentCli, env: Env) =>
  findLogin(cli, { home: env["HOME"] || homedir(), hostEnv: env, taskEnv: {} });

function isOnPath(command: string, env: Env): boolean {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
