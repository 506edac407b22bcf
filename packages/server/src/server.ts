import type { Logger } from "@multiverse/agents/log";
import { systemClock } from "@multiverse/agents/system-clock";
import { SOCKET_CLOSE } from "@multiverse/protocol/socket";
import { createApp, type App } from "./app.ts";
import { compose, type Demo } from "./compose.ts";
import type { Environment } from "./environment.ts";
import { createCredentials } from "./guard/credentials.ts";
import { hostsOf, urlOf } from "./guard/hosts.ts";
import { createLoginCodes } from "./guard/login-codes.ts";
import { createWrongTries } from "./guard/wrong-tries.ts";
import type { Home } from "./home.ts";
import { createIdleMemory } from "./idle-memory.ts";
import { listen, type Tls } from "./listen.ts";
import { createMetrics } from "./metrics.ts";
import { newId } from "./new-id.ts";
import type { ServerPorts } from "./ports.ts";
import { loginUrl } from "./routes/login.ts";
import { markStopped, newToken, readServerFile, writeServerFile } from "./server-file.ts";
import { serverGauges } from "./server-gauges.ts";
import { createSockets } from "./socket/sockets.ts";
import { createUpgrade } from "./socket/upgrade.ts";
import { createTracing } from "./tracing.ts";
import type { Workspaces } from "./workspaces.ts";

export interface ServerOptions {
  readonly home: Home;
  readonly environment: Environment;
  readonly log: Logger;
  readonly host: string;
  readonly port?: number;
  readonly tls: Tls | null;
  readonly password: string | null;
  readonly demo: Demo;
  readonly webRoot: string;
  readonly ports: ServerPorts;
  readonly onFatal: (error: Error) => void;
}

export interface RunningServer {
  readonly url: string;
  readonly workspaces: Workspaces;
  /** Every route there is, so that a test can try each of them. */
  readonly routes: App["routes"];
  /** A fresh one-time link for a browser. */
  loginUrl(): string;
  stop(options: { detach: boolean }): Promise<void>;
}

const COUNTERS = { multiverse_http_requests_total: "Requests by method and status." };

/** Puts the parts together and serves them. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { home, environment, log } = options;
  const tracing = createTracing(environment.env, log);
  const earlier = await readServerFile(home);
  const listening = await listen(options.host, portsOf(options.port, earlier?.url), options.tls);
  const url = urlOf(options.tls ? "https" : "http", options.host, listening.port);
  const credentials = createCredentials(earlier?.token ?? newToken(), listening.port);
  const startedAt = systemClock.now().toISOString();
  const saveServerFile = (): Promise<void> =>
    writeServerFile(home, { url, pid: process.pid, token: credentials.token(), startedAt });

  const sockets = createSockets(() => systemClock.monotonic());
  const composition = await compose({
    ...options,
    url,
    tracing,
    onClosed: (id) => sockets.close(id, SOCKET_CLOSE.workspaceClosed, "the workspace was closed"),
  });
  const { workspaces } = composition;
  const codes = createLoginCodes(options.password);
  const parts = {
    ...composition,
    clock: systemClock,
    newId,
    log: log.withComponent("http"),
    metrics: createMetrics(COUNTERS, serverGauges(workspaces, sockets)),
    tracing,
    credentials,
    codes,
    wrongTries: createWrongTries(() => systemClock.monotonic()),
    secureCookie: options.tls !== null,
    url,
    webRoot: options.webRoot,
    path: environment.path,
    async rotateToken() {
      credentials.rotate(newToken());
      await saveServerFile();
      sockets.close(null, SOCKET_CLOSE.goingAway, "the token was changed");
    },
  };
  const app = createApp(parts, hostsOf(options.host, listening.port));
  await saveServerFile();
  const [memory, upgrade] = [createIdleMemory(), createUpgrade(app.guard, workspaces, sockets)];
  listening.serve({ fetch: (request) => app.fetch(request).finally(memory.busy), upgrade });
  return {
    url,
    workspaces,
    routes: app.routes,
    loginUrl: () => loginUrl(url, codes.create()),
    async stop({ detach }) {
      memory.stop();
      listening.pause();
      sockets.close(null, SOCKET_CLOSE.goingAway, "the server is stopping");
      await workspaces.close({ detach });
      // Before the listening ends: that waits for every connection, also for one whose client is long gone.
      await sockets.stop();
      await listening.close();
      await tracing.close();
      await markStopped(home, process.pid);
    },
  };
}

/** The port that was asked for, or the last one used, so that open tabs find the server again. */
function portsOf(asked: number | undefined, lastUrl = ""): { exact?: number; last?: number } {
  if (asked !== undefined) return { exact: asked };
  return URL.canParse(lastUrl) ? { last: Number(new URL(lastUrl).port) } : {};
}
