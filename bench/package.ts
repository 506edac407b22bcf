import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../scripts/paths.mjs";
import { beside, type Row } from "./row.ts";
import { median } from "./stats.ts";

const ROUNDS = 9;

/** How long the server takes to be ready, and how large the package is. Both are only reported. */
export async function run(): Promise<Row[]> {
  const bare: number[] = [];
  const ready: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    bare.push(performance.now() - started);
    ready.push(await timeToReady());
  }
  const floor = median(bare);
  const value = median(ready);
  const megabytes = packageSize() / 1_048_576;
  return [
    beside("server start-up: process → ready, next to node -e 0", value, "ms", floor),
    beside("package size (npm pack)", megabytes, "MB", 5),
  ];
}

async function timeToReady(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "mv-bench-ready-"));
  mkdirSync(join(folder, "project"));
  const started = performance.now();
  const server = spawn(
    process.execPath,
    [join(root, "dist/multiverse.mjs"), join(folder, "project"), "--demo", "--no-open"],
    { env: { PATH: process.env["PATH"], HOME: folder }, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = once(server, "close");
  try {
    let said = "";
    for await (const text of server.stdout.setEncoding("utf8")) {
      said += String(text);
      if (said.includes("ready at")) return performance.now() - started;
    }
    throw new Error(`the server did not start: ${said}`);
  } finally {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function packageSize(): number {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--silent"], {
    cwd: root,
    encoding: "utf8",
  });
  const [packed] = JSON.parse(stdout.slice(stdout.search(/^\[/m))) as [{ size: number }];
  return packed.size;
}
