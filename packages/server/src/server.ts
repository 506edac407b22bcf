import type { Logger } from "@multiverse/agents/log";
import type { Ports } from "@multiverse/orchestrator/ports";
import type { DoctorReport } from "@multiverse/protocol/http/responses";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import { Settings, type LlmSettings } from "@multiverse/protocol/settings";
import { SOCKET_CLOSE } from "@multiverse/protocol/socket";
import { createApp, type App } from "./app.ts";
import { createDoctor } from "./doctor/doctor.ts";
import type { Environment } from "./environment.ts";
import { createCredentials } from "./guard/credentials.ts";
import { createLoginCodes } from "./guard/login-codes.ts";
import { createWrongTries } from "./guard/wrong-tries.ts";
import type { Home } from "./home.ts";
import { listen, type Tls } from "./listen.ts";
import { createMetrics } from "./metrics.ts";
import { openOne } from "./open-one.ts";
import type { RunPlace, Runs } from "./run-task.ts";
import { loginUrl } from "./routes/login.ts";
import type { Parts } from "./routes/parts.ts";
import { markStopped, newToken, readServerFile, writeServerFile } from "./server-file.ts";
import { serverGauges } from "./server-gauges.ts";
import { createSettings } from "./settings.ts";
import { createSockets } from "./socket/sockets.ts";
import { createUpgrade } from "./socket/upgrade.ts";
import { newId, systemClock } from "./system-clock.ts";
import { createTools } from "./tools.ts";
import { createWorkspaces, type Workspaces } from "./workspaces.ts";

/** The world behind the server: the meta-agent and the runs. */
export interface ServerPorts {
  planPatch(llm: LlmSettings, ...request: Parameters<Ports["planPatch"]>): Promise<PlanPatch>;
  /** One short question to a meta-agent; throws what is wrong. */
  ask(llm: LlmSettings, signal: AbortSignal): Promise<string>;
  runs(place: RunPlace): Runs;
}

export interface ServerOptions {
  readonly home: Home;
  readonly environment: Environment;
  readonly log: Logger;
  readonly host: string;
  readonly port?: number;
  readonly tls: Tls | null;
  readonly password: string | null;
  readonly demo: boolean;
  readonly webRoot: string;
  readonly ports: ServerPorts;
  onFatal(error: Error): void;
}

export interface RunningServer {
  readonly url: string;
  readonly workspaces: Workspaces;
  /** Every route there is, so that a test can try each of them. */
  readonly routes: App["routes"];
  doctor(): Promise<DoctorReport>;
  /** A fresh one-time link for a browser. */
  loginUrl(): string;
  stop(options: { detach: boolean }): Promise<void>;
}

const COUNTERS = { multiverse_http_requests_total: "Requests by method and status." };
/** Long enough to read the question, short enough for an unattended demo to finish in about a minute. */
const DEMO_ANSWER_MS = 15_000;

/** Puts the parts together and serves them. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { home, environment, log, demo } = options;
  const earlier = await readServerFile(home);
  const lastPort = Number(URL.canParse(earlier?.url ?? "") ? new URL(earlier?.url ?? "").port : 0);
  const ports = options.port === undefined ? { last: lastPort } : { exact: options.port };
  const listening = await listen(options.host, ports, options.tls);
  const scheme = options.tls ? "https" : "http";
  const shownHost = options.host.includes(":") ? `[${options.host}]` : options.host;
  const url = `${scheme}://${shownHost}:${listening.port}`;
  const credentials = createCredentials(earlier?.token ?? newToken(), listening.port);
  const saveServerFile = (): Promise<void> =>
    writeServerFile(home, {
      url,
      pid: process.pid,
      token: credentials.token(),
      startedAt: systemClock.now().toISOString(),
    });

  const settings = createSettings(home);
  const tools = createTools({ environment, settings, demo, ask: options.ports.ask });
  const live = await liveSettings(settings, tools, demo, log);
  const sockets = createSockets(() => systemClock.monotonic());
  const workspaces = createWorkspaces(home, (root) =>
    openOne(root, {
      home,
      url,
      log,
      planPatch: async (...request) => options.ports.planPatch(await tools.llm(), ...request),
      runs: options.ports.runs,
      settings: live.general,
      taskSettings: live.task,
      defaultAnswerMs: demo ? DEMO_ANSWER_MS : null,
      onFatal: options.onFatal,
      onClosed: (id) => sockets.close(id, SOCKET_CLOSE.workspaceClosed, "the workspace was closed"),
    }),
  );
  const metrics = createMetrics(COUNTERS);
  metrics.gauges(serverGauges(workspaces, sockets));
  const codes = createLoginCodes(options.password);
  const parts: Parts = {
    clock: systemClock,
    newId,
    log: log.withComponent("http"),
    workspaces,
    settings: live.watched,
    tools,
    metrics,
    credentials,
    codes,
    wrongTries: createWrongTries(() => systemClock.monotonic()),
    secureCookie: options.tls !== null,
    url,
    webRoot: options.webRoot,
    path: environment.path,
    doctor: createDoctor({ environment, home: home.root, tools, demo }),
    async rotateToken() {
      credentials.rotate(newToken());
      await saveServerFile();
      sockets.close(null, SOCKET_CLOSE.goingAway, "the token was changed");
    },
  };
  const app = createApp(parts, hostsOf(options.host, listening.port));
  const upgrade = createUpgrade(app.guard, workspaces, sockets);
  await saveServerFile();
  listening.serve({ fetch: app.fetch, upgrade });
  return {
    url,
    workspaces,
    routes: app.routes,
    doctor: parts.doctor,
    loginUrl: () => loginUrl(url, codes.create()),
    async stop({ detach }) {
      sockets.close(null, SOCKET_CLOSE.goingAway, "the server is stopping");
      await workspaces.close({ detach });
      await listening.close();
      sockets.stop();
      await markStopped(home, process.pid);
    },
  };
}

/** The names a browser may call this server by. Anything else is a page that pretends to be us. */
function hostsOf(host: string, port: number): string[] {
  const loopback = ["127.0.0.1", "localhost", "[::1]"];
  const own = host.includes(":") ? `[${host}]` : host;
  return [...new Set([...loopback, own.toLowerCase()])].map((name) => `${name}:${port}`);
}

type LiveTools = ReturnType<typeof createTools>;
type Files = ReturnType<typeof createSettings>;

/** Settings as the scheduler asks for them, at once; read at the start and whenever someone changes them. */
async function liveSettings(files: Files, tools: LiveTools, demo: boolean, log: Logger) {
  const orDefault = async <T>(read: Promise<T | null>): Promise<T | null> =>
    read.catch((error: unknown) => {
      log.warn("a settings file is left alone and the defaults are used", { error });
      return null;
    });
  let general = (await orDefault(files.general.read())) ?? Settings.parse({});
  let llm = await tools.llm();
  let tooling = demo ? null : await orDefault(files.tooling.read());
  const watched: Files = {
    general: {
      ...files.general,
      write: async (value) => {
        await files.general.write(value);
        general = value;
      },
    },
    llm: {
      ...files.llm,
      write: async (value) => {
        await files.llm.write(value);
        llm = await tools.llm();
      },
    },
    tooling: {
      ...files.tooling,
      write: async (value) => {
        await files.tooling.write(value);
        if (!demo) tooling = value;
      },
    },
  };
  return {
    watched,
    general: () => general,
    task: () => ({
      llm,
      tooling,
      workerKind: demo ? "mock" : "codex-cli",
      noteLanguage: general.language ?? ("ja" as const),
    }),
  };
}
