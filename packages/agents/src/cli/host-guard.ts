import { MultiverseError } from "@multiverse/protocol/error";
import type { CliRequest } from "./agent-cli.ts";

/**
 * Outside a container a CLI's own sandbox is all there is, so a plan that switches it off is refused, no matter whether
 * the flag came from us, a task file or a model. `forbidden` is matched against each argument and each pair of
 * neighbours ("--sandbox danger-full-access").
 */
export function refuseBypass(
  tool: string,
  place: CliRequest["place"],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  forbidden: RegExp,
): void {
  if (place === "container") return;
  const pairs = args.map((arg, i) => `${arg} ${args[i + 1] ?? ""}`.toLowerCase());
  const bad = pairs.find((pair) => forbidden.test(pair)) ?? Object.keys(env).find(isSandboxClaim);
  if (bad === undefined) return;
  throw new MultiverseError(
    "SANDBOX_REFUSED",
    `${tool} may not run on this machine with ${JSON.stringify(bad.split(" ")[0] ?? bad)}: it switches off the CLI's own protection`,
    { hint: "Remove the flag, or let the task run in Docker (runner.worker.sandbox: docker)." },
  );
}

const isSandboxClaim = (name: string): boolean => name === "IS_SANDBOX";
