import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@multiverse/agents/log";
import { fakeRuns, runResult, type Script } from "@multiverse/orchestrator/testing/fake-runs";
import type { RunRequest } from "@multiverse/orchestrator/ports";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import type { Demo } from "@multiverse/server/compose";
import { openHome, type Home } from "@multiverse/server/home";
import { readServerFile } from "@multiverse/server/server-file";
import type { ServerPorts } from "@multiverse/server/ports";
import { startServer, type RunningServer } from "@multiverse/server/server";
import type { OpenWorkspace } from "@multiverse/server/workspaces";

export interface TestServer {
  readonly server: RunningServer;
  readonly url: string;
  readonly token: string;
  readonly root: string;
  readonly home: Home;
  readonly project: string;
  readonly open: OpenWorkspace;
  /** Path of the workspace's routes. */
  readonly ws: string;
  /** A request with the token; `path` below /api/v1. */
  readonly api: (path: string, init?: RequestInit) => Promise<Response>;
  readonly post: (path: string, body?: unknown) => Promise<Response>;
  readonly stateText: () => string;
  /** What the server logged as an error; a bug if anything. */
  readonly errors: readonly string[];
  /** Stops it; what it wrote stays if someone wants to go on with it. */
  stop(options?: { keep: boolean }): Promise<void>;
}

export interface TestServerOptions {
  readonly script?: (request: RunRequest, nth: number) => Script | Promise<Script>;
  readonly planPatch?: ServerPorts["planPatch"];
  readonly ask?: ServerPorts["ask"];
  readonly demo?: Demo;
  readonly webRoot?: string;
  /** The folder of an earlier server, to start again where it stopped. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const nothingToDo: PlanPatch = {
  understanding: "nothing to do",
  operations: [],
  potentialConflicts: [],
  questions: [],
};

/** The real server on a real port with a real store; only the meta-agent and the runs are scripted. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const root =
    options.root ?? (await realpath(await mkdtemp(join(tmpdir(), "multiverse-server-"))));
  const project = join(root, "project");
  await mkdir(project, { recursive: true });
  const home = await openHome(join(root, "home"));
  const errors: string[] = [];
  const script = options.script ?? ((request) => ({ result: runResult(request.taskId) }));
  const server = await startServer({
    home,
    environment: {
      env: options.env ?? {},
      homeFolder: root,
      path: process.env["PATH"] ?? "",
    },
    log: createLogger({ level: "error", format: "json", write: (line) => errors.push(line) }),
    host: "127.0.0.1",
    tls: null,
    password: null,
    demo: options.demo ?? { on: false, forced: false },
    webRoot: options.webRoot ?? join(root, "web"),
    ports: {
      planPatch: options.planPatch ?? (async () => nothingToDo),
      ask: options.ask ?? (async () => "fine"),
      runs: () => Object.assign(fakeRuns(script), { pidOf: () => null }),
    },
    onFatal: (error) => {
      throw error;
    },
  });
  const open = await server.workspaces.openFolder(project);
  const { token } = (await readServerFile(home)) ?? { token: "" };
  const api = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.url}/api/v1${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(init.headers as Record<string, string> | undefined),
      },
    });
  return {
    server,
    url: server.url,
    token,
    root,
    home,
    project,
    errors,
    open,
    ws: `/workspaces/${open.workspace.id}`,
    api,
    post: (path, body = {}) => api(path, { method: "POST", body: JSON.stringify(body) }),
    stateText: () => canonicalJson(saveState(open.workspace.state)),
    async stop({ keep } = { keep: false }) {
      await server.stop({ detach: false });
      if (!keep) await rm(root, { recursive: true, force: true });
    },
  };
}
