import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/paths.mjs";

/** The product as it ships, in a process of its own, with a plan that nobody has started. */
export interface Served {
  readonly pid: number;
  /** On the disk that the server writes to. */
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  readonly loginUrl: string;
  /** Path of the workspace's routes, below /api/v1. */
  readonly ws: string;
  post(path: string, body: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export async function serve(tasks: number): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), "mv-bench-served-"));
  mkdirSync(join(home, "project"));
  const child = spawn(
    process.execPath,
    [join(root, "dist/multiverse.mjs"), join(home, "project"), "--demo", "--no-open"],
    { env: { PATH: process.env["PATH"], HOME: home }, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const loginUrl = await readyAt(child);
    const file = readFileSync(join(home, ".multiverse/server.json"), "utf8");
    const { url, token } = JSON.parse(file) as { url: string; token: string };
    const post = (path: string, body: unknown): Promise<unknown> =>
      postJson(`${url}/api/v1${path}`, token, body);
    const { id } = (await post("/workspaces", { path: join(home, "project") })) as { id: string };
    const ws = `/workspaces/${id}`;
    await post(`${ws}/plan`, { operations: layered(tasks) });
    return { pid: child.pid ?? 0, folder: home, url, token, loginUrl, ws, post, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

// A few connections that stay open: `fetch` opens one for every request that waits.
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function postJson(url: string, token: string, body: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const outgoing = request(url, { method: "POST", headers, agent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () =>
        answer.statusCode === 200
          ? resolve(JSON.parse(text))
          : reject(new Error(`${url}: ${answer.statusCode} ${text}`)),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

const layered = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    op: "create",
    temp_id: `t${i}`,
    title: `Task ${i}`,
    milestone: `M${Math.floor((i * 8) / count)}`,
    dependencies: i === 0 ? [] : [`t${Math.max(0, i - 1 - ((i * 7) % 40))}`],
  }));

async function readyAt(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const text of child.stdout?.setEncoding("utf8") ?? []) {
    said += String(text);
    const url = /ready at (\S+)/.exec(said)?.[1];
    if (url !== undefined) {
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`the server did not start: ${said}`);
}
