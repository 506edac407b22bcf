import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../system-clock.ts";
import { openCooldownGate } from "./cooldown.ts";

let folder: string;
let now: number;
const clock = { ...systemClock, now: () => new Date(now) };
const inSeconds = (seconds: number): Date => new Date(now + seconds * 1_000);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cooldown-"));
  now = Date.parse("2026-01-01T00:00:00.000Z");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("one limit closes the gate for everybody, one probe opens it again", async () => {
  const [mine, yours] = [openCooldownGate(folder, clock), openCooldownGate(folder, clock)];
  expect(await mine.enter("k")).toEqual({ open: true, probe: false });
  await mine.close("k", inSeconds(120));
  expect(await yours.enter("k")).toEqual({ open: false, until: inSeconds(120) });
  expect(await yours.enter("other")).toEqual({ open: true, probe: false });

  now += 121_000;
  expect(await yours.enter("k")).toEqual({ open: true, probe: true });
  expect(await mine.enter("k")).toMatchObject({ open: false });
  await yours.reopen("k");
  expect(await mine.enter("k")).toEqual({ open: true, probe: false });
});

test("a probe that is refused closes the gate again; one that gives up leaves it to the next", async () => {
  const gate = openCooldownGate(folder, clock);
  await gate.close("k", inSeconds(10));
  now += 11_000;
  expect(await gate.enter("k")).toMatchObject({ probe: true });
  await gate.close("k", inSeconds(30));
  expect(await gate.closedUntil("k")).toEqual(inSeconds(30));
  now += 31_000;
  expect(await gate.enter("k")).toMatchObject({ probe: true });
  await gate.release("k");
  expect(await gate.enter("k")).toMatchObject({ probe: true });
});

test("a probe whose process died does not keep the gate closed for ever", async () => {
  const gate = openCooldownGate(folder, clock);
  await gate.close("k", inSeconds(1));
  now += 2_000;
  await gate.enter("k");
  now += 11 * 60_000;
  expect(await gate.enter("k")).toMatchObject({ open: true, probe: true });
});

test("the later of two times counts", async () => {
  const gate = openCooldownGate(folder, clock);
  await gate.close("k", inSeconds(100));
  await gate.close("k", inSeconds(5));
  expect(await gate.closedUntil("k")).toEqual(inSeconds(100));
});

test("a damaged file and a lock left by a crash are got over", async () => {
  writeFileSync(join(folder, "cooldowns.json"), "{ half");
  const lock = join(folder, "cooldowns.lock");
  mkdirSync(lock);
  utimesSync(lock, new Date(0), new Date(0));
  const gate = openCooldownGate(folder, clock);
  await gate.close("k", inSeconds(5));
  expect(await gate.closedUntil("k")).toEqual(inSeconds(5));
  expect(readdirSync(folder)).toEqual(["cooldowns.json"]);
});

test("many processes at once lose no turn and leave nothing behind", async () => {
  const bundle = join(folder, "turns.mjs");
  const here = fileURLToPath(new URL(".", import.meta.url));
  await build({
    stdin: {
      contents: `
        import { openCooldownGate } from "./cooldown.ts";
        import { systemClock } from "../system-clock.ts";
        const gate = openCooldownGate(process.argv[2], systemClock);
        for (let i = 0; i < 20; i++) console.log(await gate.turn("t"));`,
      resolveDir: here,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: bundle,
  });
  const shared = join(folder, "shared");
  const outputs = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const child = spawn(process.execPath, [bundle, shared], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      await once(child, "close");
      return out.trim().split("\n").map(Number);
    }),
  );
  expect(outputs.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, i) => i));
  expect(JSON.parse(readFileSync(join(shared, "cooldowns.json"), "utf8"))).toMatchObject({
    turns: { t: 80 },
  });
  expect(readdirSync(shared)).toEqual(["cooldowns.json"]);
});
