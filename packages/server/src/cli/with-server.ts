import { findServer, createClient, type Client } from "../client.ts";
import { demoFor } from "../demo.ts";
import { readServerFile } from "../server-file.ts";
import type { CliContext } from "./context.ts";
import { becomeServer, LOOPBACK } from "./one-server.ts";
import { requireDemo } from "./require-demo.ts";

/** Whether the server is ours alone, and known to be a demo, in which questions answer themselves after a while. */
interface Place {
  readonly isOwn: boolean;
  readonly isDemo: boolean;
}

type Use = (client: Client, place: Place) => Promise<number>;

/** Does something with the server that runs, or with one of its own that is gone afterwards. */
export async function withServer(
  context: CliContext,
  flags: { readonly demo?: boolean },
  use: Use,
): Promise<number> {
  const running = await findServer(context.home);
  if (running) return useRunning(running, flags, use);
  const { demo, says } = await demoFor(context, flags);
  const quiet = { ...context, log: context.quietLog };
  const one = await becomeServer(quiet, { host: LOOPBACK, tls: null, password: null, demo });
  if (one.running) return useRunning(one.running, flags, use);
  context.terminal.err(`${says}\n`);
  try {
    const file = await readServerFile(context.home);
    return await use(createClient({ url: one.own.url, token: file?.token ?? "" }), {
      isOwn: true,
      isDemo: demo.on,
    });
  } finally {
    await one.own.stop({ detach: false });
  }
}

async function useRunning(
  client: Client,
  flags: { readonly demo?: boolean },
  use: Use,
): Promise<number> {
  if (flags.demo) await requireDemo(client);
  return use(client, { isOwn: false, isDemo: flags.demo === true });
}
