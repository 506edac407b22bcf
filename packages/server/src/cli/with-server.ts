import { findServer, createClient, type Client } from "../client.ts";
import { demoFor } from "../demo.ts";
import { realPorts } from "../real-ports.ts";
import { readServerFile } from "../server-file.ts";
import { startServer } from "../server.ts";
import type { CliContext } from "./context.ts";

/** Whether the server is ours alone, and known to be a demo, in which questions answer themselves after a while. */
interface Place {
  readonly isOwn: boolean;
  readonly isDemo: boolean;
}

/** Does something with the server that runs, or with one of its own that is gone afterwards. */
export async function withServer(
  context: CliContext,
  flags: { readonly demo?: boolean },
  use: (client: Client, place: Place) => Promise<number>,
): Promise<number> {
  const running = await findServer(context.home);
  if (running) return use(running, { isOwn: false, isDemo: false });
  const { demo, says } = await demoFor(context, flags);
  context.terminal.err(`${says}\n`);
  const quiet = { ...context, log: context.quietLog };
  const server = await startServer({
    ...quiet,
    host: "127.0.0.1",
    tls: null,
    password: null,
    demo,
    ports: realPorts(quiet),
    onFatal: (error) => {
      context.log.error("the disk no longer confirms writes; stopping", { error });
      context.exit(1);
    },
  });
  try {
    const file = await readServerFile(context.home);
    return await use(createClient({ url: server.url, token: file?.token ?? "" }), {
      isOwn: true,
      isDemo: demo.on,
    });
  } finally {
    await server.stop({ detach: false });
  }
}
