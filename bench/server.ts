import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FactWire } from "@multiverse/protocol/fact";
import { WebSocket } from "ws";
import { root } from "../scripts/paths.mjs";
import type { Row } from "./row.ts";
import { percentile } from "./stats.ts";

const IDLE_SEC = 10;
const TASKS = 1_000;
const FACTS = 400;
/** Every task that is added is two facts. */
const FACTS_PER_SECOND = 100;

/** The real server: what it costs when nothing happens, and how fast a fact reaches a browser. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "mv-bench-server-"));
  const server = start(folder);
  try {
    await isReady(server);
    const api = connect(folder);
    const delays = await factDelays(api);
    await api.send(`${await api.workspace()}/plan`, { operations: plan() });
    await sleep(5_000);
    const before = cpuSeconds(server);
    await sleep(IDLE_SEC * 1_000);
    const idle = ((cpuSeconds(server) - before) / IDLE_SEC) * 100;
    const p95 = percentile(delays, 0.95);
    const atMost = (name: string, value: number, unit: string, floor: number): Row => {
      const ratio = value / floor;
      return { name, value, unit, floor, ratio, target: 1, ok: ratio <= 1 };
    };
    return [
      atMost("fact (with its fsync) → socket at 100 facts/s, p95", p95, "ms", 20),
      atMost("idle server, 1,000-task plan: share of a core", idle, "%", 0.5),
      atMost("idle server, 1,000-task plan: memory", residentMegabytes(server), "MB", 150),
    ];
  } finally {
    const ended = once(server, "close");
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(folder: string): ChildProcess {
  const project = join(folder, "project");
  mkdirSync(project);
  return spawn(
    process.execPath,
    [join(root, "dist/multiverse.mjs"), project, "--demo", "--no-open"],
    { env: { PATH: process.env["PATH"], HOME: folder }, stdio: ["ignore", "pipe", "ignore"] },
  );
}

async function isReady(server: ChildProcess): Promise<void> {
  let said = "";
  while (!said.includes("ready at")) {
    const [text] = (await once(server.stdout ?? server, "data")) as [Buffer];
    said += text.toString("utf8");
  }
}

function connect(folder: string) {
  const file = readFileSync(join(folder, ".multiverse/server.json"), "utf8");
  const { url, token } = JSON.parse(file) as { url: string; token: string };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    async workspace(): Promise<string> {
      const answer = await fetch(`${url}/api/v1/workspaces`, { headers });
      const { workspaces } = (await answer.json()) as { workspaces: { id: string }[] };
      return `/workspaces/${workspaces[0]?.id}`;
    },
    async send(path: string, body: object): Promise<void> {
      const method = "POST";
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    },
    listen: (path: string) =>
      new WebSocket(`${url.replace("http", "ws")}/api/v1${path}`, { headers }),
  };
}

/** From the moment a fact was decided, so with its fsync, to its arrival in a client on the same machine. */
async function factDelays(api: ReturnType<typeof connect>): Promise<number[]> {
  const workspace = await api.workspace();
  const socket = api.listen(`${workspace}/events`);
  await once(socket, "open");
  const delays: number[] = [];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString("utf8")) as { facts?: FactWire[] };
    for (const fact of message.facts ?? []) delays.push(Date.now() - Date.parse(fact.at));
  });
  const added: Promise<void>[] = [];
  for (let i = 0; i < FACTS / 2; i += 1) {
    added.push(api.send(`${workspace}/tasks`, { title: `task ${i}` }));
    await sleep(2_000 / FACTS_PER_SECOND);
  }
  await Promise.all(added);
  while (delays.length < FACTS) await sleep(10);
  socket.close();
  return delays;
}

const plan = (): object[] =>
  Array.from({ length: TASKS }, (_, i) => ({
    op: "create",
    temp_id: `t${i}`,
    title: `task ${i}`,
    ...(i % 10 === 0 ? {} : { dependencies: [`t${i - 1}`] }),
  }));

/** User and system time of the process, from /proc (in hundredths of a second). */
function cpuSeconds({ pid }: ChildProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMegabytes({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
