import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { PlanOperation, PlanPatch } from "@multiverse/protocol/plan-patch";
import { startTestServer, type TestServer } from "../tests/server/test-server.ts";
import { watchBlocks } from "./blocks.ts";
import { planOf } from "./plan-of.ts";
import { atMost, type Row } from "./row.ts";

const TASKS = 10_000;
/** Nothing that is done with a plan holds up the rest for longer, however large the plan is. */
const LIMIT_MS = 100;
const curl = promisify(execFile);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** 10,000 tasks side by side below one: how long each thing people do with such a plan keeps everybody else waiting. */
export async function run(): Promise<Row[]> {
  const server = await startTestServer({ script: () => "hang", planPatch: async () => patch });
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

const below = (operation: PlanOperation): PlanOperation =>
  operation.op === "create" ? { ...operation, parentId: "all" } : operation;
const operations: PlanOperation[] = [
  { op: "create", tempId: "all", title: "All of it" },
  ...planOf(TASKS, (i) => (i < 100 ? [] : [i - 100])).map(below),
];
const patch: PlanPatch = {
  understanding: "That is a lot.",
  operations,
  potentialConflicts: [],
  questions: [],
};

async function measure(server: TestServer): Promise<Row[]> {
  const { orchestrator, workspace } = server.open;
  const rows: Row[] = [];
  const during = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    collect(); // what the step before left is not this one's
    const blocks = watchBlocks();
    await act();
    const { processor } = blocks.end();
    rows.push(atMost(`10,000 tasks, ${what}: longest block`, processor, "ms", LIMIT_MS));
  };
  await during("a change that makes them", () => orchestrator.changePlan(operations));
  await during("GET tasks", () => get(server, "/tasks"));
  await during("GET state", () => get(server, "/state"));
  await during("a client that connects", () => listen(server));
  await during("a deletion of all", () =>
    orchestrator.changePlan([{ op: "delete", taskId: "task-0001", cascade: true }]),
  );
  await during("undo of the deletion", () => orchestrator.undoLastChange());
  await during("undo of the change", () => orchestrator.undoLastChange());
  await during("a plan by chat", async () => {
    await orchestrator.sendMessage("s", "plan it all");
    while (workspace.state.index.running.size === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await during("the next message in the chat", async () => {
    const { sessions } = workspace.state;
    const count = sessions.get("s")?.messageCount ?? 0;
    await orchestrator.sendMessage("s", "status");
    while ((workspace.state.sessions.get("s")?.messageCount ?? 0) < count + 2)
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
  return rows;
}

/** In a process of its own, so that what a client does with an answer is not counted here. */
async function get(server: TestServer, path: string, ...more: string[]): Promise<void> {
  const { url, token, ws } = server;
  const args = ["--silent", "--output", "/dev/null", "--config", "-", ...more];
  const asking = curl("curl", [...args, `${url}/api/v1${ws}${path}`]);
  asking.child.stdin?.end(`header = "Authorization: Bearer ${token}"\n`);
  await asking;
}

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: bXVsdGl2ZXJzZTEyMzQ1Ng==",
];

/** A WebSocket that only listens, for long enough to get the whole state. */
const listen = (server: TestServer): Promise<void> =>
  get(
    server,
    "/events",
    "--http1.1",
    "--max-time",
    "3",
    ...UPGRADE.flatMap((header) => ["--header", header]),
  ).catch(() => {}); // its time is over
