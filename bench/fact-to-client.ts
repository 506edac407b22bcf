import { closeSync, fdatasync, openSync, rmSync, write } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { WebSocket } from "ws";
import { changeTitles, CHANGES } from "./change-titles.ts";
import { atMost, beside, type Row } from "./row.ts";
import type { Served } from "./served.ts";
import { percentile } from "./stats.ts";

const LIMIT_MS = 20;

/** From the moment a fact is decided, through its commit, to a client that has parsed it. */
export async function factToClient(served: Served): Promise<Row[]> {
  const address = `${served.url.replace("http", "ws")}/api/v1${served.ws}/events?since=0`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${served.token}` } });
  const delays: number[] = [];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { facts?: { at: string; payload: object }[] };
    for (const fact of message.facts ?? [])
      if (JSON.stringify(fact.payload).includes("Task at "))
        delays.push(performance.timeOrigin + performance.now() - Date.parse(fact.at));
  });
  await new Promise((resolve) => socket.once("open", resolve));
  const disk = sampleSyncs(served.folder);
  await changeTitles(served);
  const syncs = await disk.stop();
  await sleep(500);
  socket.close();
  if (delays.length < CHANGES) throw new Error(`only ${delays.length} facts came`);
  const name = "fact → WebSocket client at 100 facts/s";
  const [p50, p95] = [percentile(delays, 0.5), percentile(delays, 0.95)];
  return [
    beside(`${name}, p50, next to one sync of the disk`, p50, "ms", percentile(syncs, 0.5)),
    beside(`${name}, p95, next to one sync of the disk`, p95, "ms", percentile(syncs, 0.95)),
    atMost(`${name}, p95`, p95, "ms", LIMIT_MS),
  ];
}

/** What the disk needs meanwhile to make one line durable: no fact can be faster. */
function sampleSyncs(folder: string): { stop(): Promise<number[]> } {
  const path = join(folder, "sync-floor");
  const file = openSync(path, "w");
  const line = Buffer.alloc(500, "x");
  const times: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      const began = performance.now();
      await promisify(write)(file, line);
      await promisify(fdatasync)(file);
      times.push(performance.now() - began);
      await sleep(10);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await sampling;
      closeSync(file);
      rmSync(path);
      return times;
    },
  };
}
