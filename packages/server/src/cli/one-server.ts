import { setTimeout as sleep } from "node:timers/promises";
import { acquireLock, type Lock } from "@multiverse/orchestrator/store/lock";
import { MultiverseError } from "@multiverse/protocol/error";
import { findServer, type Client } from "../client.ts";
import type { Demo } from "../compose.ts";
import type { Tls } from "../listen.ts";
import { removeDrafts } from "../private-file.ts";
import { realPorts } from "../real-ports.ts";
import { startServer, type RunningServer } from "../server.ts";
import type { CliContext } from "./context.ts";

/** Where a server listens unless it is told otherwise. */
export const LOOPBACK = "127.0.0.1";

/** How this process serves if it is the one that does. */
export interface Serving {
  readonly host: string;
  readonly port?: number;
  readonly tls: Tls | null;
  readonly password: string | null;
  readonly demo: Demo;
}

/** What there is now: a server that was there before, or the one this process has become. */
export type OneServer =
  { readonly running: Client } | { readonly running: null; readonly own: RunningServer };

/** A server that has just begun to start is ready well within this time. */
const START_MS = 10_000;
const LOOK_MS = 100;

/**
 * A user has one server: server.json names it, and every command looks there. Whoever starts at the same moment finds
 * the lock taken and uses the server of the one who was faster.
 */
export async function becomeServer(context: CliContext, serving: Serving): Promise<OneServer> {
  const lock = await lockHome(context);
  if (lock === null) return { running: await started(context) };
  await removeDrafts(context.home.serverFile);
  const own = await startServer({
    ...context,
    ...serving,
    ports: realPorts(context),
    onFatal: (error) => {
      context.log.error("the disk no longer confirms writes; stopping", { error });
      context.exit(1);
    },
  }).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  const stop: RunningServer["stop"] = async (how) => {
    try {
      await own.stop(how);
    } finally {
      await lock.release();
    }
  };
  return { running: null, own: { ...own, stop } };
}

const isTaken = (error: unknown): boolean =>
  error instanceof MultiverseError && error.code === "WORKSPACE_LOCKED";

async function lockHome({ home }: CliContext): Promise<Lock | null> {
  return acquireLock(home.root, null).catch((error: unknown) => {
    if (isTaken(error)) return null;
    throw error;
  });
}

async function started({ home }: CliContext): Promise<Client> {
  for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
    const client = await findServer(home);
    if (client) return client;
    await sleep(LOOK_MS);
  }
  throw new MultiverseError("WORKSPACE_LOCKED", "another server of yours does not answer", {
    hint: `Try again in a moment; if it stays so, stop the process that ${home.serverFile} names.`,
    retryable: true,
  });
}
