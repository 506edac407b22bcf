import type { Usage } from "@multiverse/protocol/usage";
import type { AgentCli } from "../cli/agent-cli.ts";

/** Takes from what a CLI reports what it has reported before in the same session. */
export function createSessionUsage(): (
  cli: AgentCli,
  sessionId: string | null,
  reported: Usage,
) => Usage {
  const known = new Map<string, Usage>();
  return (cli, sessionId, reported) => {
    if (sessionId === null) return reported;
    const key = `${cli.kind}:${sessionId}`;
    const before = known.get(key);
    known.set(key, reported);
    if (before === undefined) return reported;
    const tokens = cli.usageIsCumulative;
    const usd = cli.usdIsCumulative === true || tokens;
    return {
      inputTokens: tokens
        ? Math.max(0, reported.inputTokens - before.inputTokens)
        : reported.inputTokens,
      outputTokens: tokens
        ? Math.max(0, reported.outputTokens - before.outputTokens)
        : reported.outputTokens,
      usd:
        usd && reported.usd !== null ? Math.max(0, reported.usd - (before.usd ?? 0)) : reported.usd,
    };
  };
}
