import { dirname, join } from "node:path";
import { connectEngine } from "@multiverse/agents/docker/engine";
import { dockerSocket } from "@multiverse/agents/docker/socket";
import { buildImages } from "@multiverse/agents/images";
import type { CliContext } from "./context.ts";
import { safeText } from "./terminal.ts";

/** `multiverse images build [kind…]`: the sandboxes of the coding CLIs, from the Dockerfiles that ship with the product. */
export async function buildSandboxImages(
  context: CliContext,
  kinds: readonly string[],
  flags: { readonly baseImage?: string },
): Promise<number> {
  const { environment, terminal, runnerPath } = context;
  const stop = new AbortController();
  context.onStop(() => stop.abort());
  const engine = connectEngine(dockerSocket(environment.env, environment.homeFolder));
  try {
    const built = await buildImages(kinds, {
      engine,
      dockerfiles: join(dirname(runnerPath), "../sandbox"),
      signal: stop.signal,
      onLine: (line) => terminal.err(`${safeText(line, false)}\n`),
      baseImage: flags.baseImage ?? environment.env["MULTIVERSE_BASE_IMAGE"],
    });
    for (const image of built) terminal.out(`${image}\n`);
    return 0;
  } finally {
    engine.close();
  }
}
