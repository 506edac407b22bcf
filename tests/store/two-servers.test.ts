import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../harness/run-command.ts";
import { bundleWriter, newPlace, type Place } from "./store-program.ts";

let writer: Awaited<ReturnType<typeof bundleWriter>>;
let base: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  writer = await bundleWriter();
  base = await mkdtemp(join(tmpdir(), "two-"));
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await writer.remove();
  await rm(base, { recursive: true, force: true });
});

const second = (place: Place) =>
  runCommand(process.execPath, [writer.path, "open", place.home, place.project]);

async function hold(place: Place): Promise<ChildProcess> {
  const child = spawn(process.execPath, [writer.path, "hold", place.home, place.project], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

test("a second server ends with code 3 and names the first; after kill -9 the next one starts without a hand", async () => {
  const place = await newPlace(base);
  const first = await hold(place);
  const refused = await second(place);
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain(`refused WORKSPACE_LOCKED`);
  expect(refused.stdout).toContain(`process ${first.pid} at http://127.0.0.1:4321`);
  const gone = once(first, "exit");
  first.kill("SIGKILL");
  await gone;
  expect((await second(place)).stdout).toContain("closed");
});

test("of several servers started at once, one opens and the others are refused", async () => {
  const place = await newPlace(base);
  const all = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, [writer.path, "hold", place.home, place.project], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    return once(child.stdout, "data").then(([data]) => String(data).split(" ")[0]);
  });
  const said = await Promise.all(all);
  expect(said.filter((word) => word === "open")).toHaveLength(1);
  expect(said.filter((word) => word === "refused")).toHaveLength(3);
});
