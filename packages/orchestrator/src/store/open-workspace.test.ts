import { mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Clock } from "@multiverse/protocol/clock";
import type { Fact } from "@multiverse/protocol/fact";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { MultiverseError } from "@multiverse/protocol/error";
import { chat, systemClock } from "./testing/test-ports.ts";
import {
  allFiles,
  kinds,
  tempWorkspace,
  textOf,
  type TempWorkspace,
} from "./testing/temp-workspace.ts";

let temp: TempWorkspace;
beforeEach(async () => {
  temp = await tempWorkspace();
});
afterEach(() => temp.remove());

const clockAt = (time: () => string): Clock => ({ ...systemClock, now: () => new Date(time()) });

it("a new workspace has a root and nothing else", async () => {
  const workspace = await temp.open();
  expect([...workspace.state.nodes.keys()]).toEqual(["node-root"]);
  expect(workspace.state.seq).toBe(1);
  await workspace.close();
});

it("what was acknowledged is there after opening again", async () => {
  const first = await temp.open();
  await Promise.all(Array.from({ length: 50 }, (_, i) => first.commit(() => [chat(`m-${i}`)])));
  await first.close();
  const second = await temp.open();
  expect(textOf(second)).toBe(textOf(first));
  expect(second.state.sessions.get("chat-1")?.messageCount).toBe(50);
  await second.close();
});

it("a refused decision leaves no trace", async () => {
  const workspace = await temp.open();
  const before = await readFile(await temp.historyFile(), "utf8");
  const refusal = new MultiverseError("CONFLICT", "no", { hint: "try later" });
  await expect(
    workspace.commit(() => {
      throw refusal;
    }),
  ).rejects.toBe(refusal);
  expect(workspace.state.seq).toBe(1);
  expect(await readFile(await temp.historyFile(), "utf8")).toBe(before);
  await workspace.close();
});

it("a fact that is not valid, or cannot be applied, never reaches the disk", async () => {
  const workspace = await temp.open();
  const before = await readFile(await temp.historyFile(), "utf8");
  const bad = { kind: "node.deleted", payload: { nodeId: "../x", cascade: false } } as const;
  await expect(workspace.commit(() => [chat("a"), bad])).rejects.toThrow("not valid");
  const unknown = { kind: "node.deleted", payload: { nodeId: "gone", cascade: false } } as const;
  await expect(workspace.commit(() => [chat("b"), unknown])).rejects.toThrow("gone");
  expect(await readFile(await temp.historyFile(), "utf8")).toBe(before);
  await workspace.commit(() => [chat("c")]);
  expect(workspace.state.seq).toBe(2);
  await workspace.close();
});

it("a decision sees the facts that are still on their way to the disk", async () => {
  const workspace = await temp.open();
  const seen: number[] = [];
  await Promise.all(
    [1, 2, 3].map((i) =>
      workspace.commit((state) => {
        seen.push(state.seq);
        return [chat(`m-${i}`)];
      }),
    ),
  );
  expect(seen).toEqual([1, 2, 3]);
  await workspace.close();
});

it("subscribers get every fact in order, and the error of one harms nobody", async () => {
  const problems: string[] = [];
  const workspace = await temp.open({ onProblem: (message) => problems.push(message) });
  const facts: Fact[] = [];
  workspace.subscribe(() => {
    throw new Error("a bad subscriber");
  });
  workspace.subscribe((some) => facts.push(...some));
  await Promise.all(Array.from({ length: 20 }, (_, i) => workspace.commit(() => [chat(`m-${i}`)])));
  expect(facts.map((fact) => fact.seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
  expect(problems).toHaveLength(20);
  await workspace.close();
});

it("many commits at once share their writes, and each line carries its number, transaction and checksum", async () => {
  const workspace = await temp.open();
  await Promise.all(
    Array.from({ length: 8 }, (_, i) => workspace.commit(() => [chat(`a-${i}`), chat(`b-${i}`)])),
  );
  await workspace.close();
  const lines = (await readFile(await temp.historyFile(), "utf8")).trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records.map((record) => record["seq"])).toEqual(records.map((_, i) => i + 1));
  expect(Object.keys(records[1] ?? {})).toEqual([
    "v",
    "seq",
    "id",
    "at",
    "kind",
    "workspace_id",
    "by",
    "tx",
    "i",
    "n",
    "payload",
    "crc",
  ]);
  const batches = new Set(records.slice(1, 17).map((record) => String(record["tx"]).split("-")[1]));
  expect(batches.size).toBe(1);
});

it("a new UTC day starts a new file, and the order is that of the facts even when the clock goes back", async () => {
  let time = "2026-03-01T23:59:59.000Z";
  const clock = clockAt(() => time);
  const workspace = await temp.open({ clock });
  await workspace.commit(() => [chat("a")]);
  time = "2026-03-02T00:00:01.000Z";
  await workspace.commit(() => [chat("b")]);
  time = "2026-02-01T00:00:00.000Z";
  await workspace.commit(() => [chat("c")]);
  await workspace.close();
  const names = [...(await allFiles(join(temp.dir, "history"))).keys()].map((path) =>
    path.split("/").at(-1),
  );
  expect(names).toEqual(["actions-20260301.jsonl", "actions-20260302.jsonl"]);
  const again = await temp.open({ clock });
  expect(again.damage).toBeNull();
  expect(again.state.sessions.get("chat-1")?.messages.map((m) => m.id)).toEqual(["a", "b", "c"]);
  await again.close();
});

it("facts a little back come from memory, and those too far back are not offered", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => [chat("a"), chat("b")]);
  expect((await workspace.factsSince(1))?.map((fact) => fact.seq)).toEqual([2, 3]);
  expect(await workspace.factsSince(3)).toEqual([]);
  expect(await workspace.factsSince(99)).toBeNull();
  await workspace.close();
  const again = await temp.open();
  expect(await again.factsSince(0)).toBeNull();
  await again.close();
});

it("history can be read a page at a time, and the state of any moment put together", async () => {
  const workspace = await temp.open();
  const texts = [textOf(workspace)];
  for (const id of ["a", "b", "c"]) {
    await workspace.commit(() => [chat(id)]);
    texts.push(textOf(workspace));
    if (id === "b") await workspace.createSnapshot();
  }
  const page = await workspace.readFacts({ after: 1, limit: 2 });
  expect(page.map((fact) => fact.seq)).toEqual([2, 3]);
  expect(
    kinds(await workspace.readFacts({ after: 0, limit: 10, kind: "snapshot.created" })),
  ).toEqual(["snapshot.created"]);
  for (const [at, seq] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 5],
  ] as const) {
    expect(canonicalJson(saveState(await workspace.stateAt(seq)))).toBe(texts[at]);
  }
  await expect(workspace.stateAt(99)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await workspace.close();
});

it("a workspace of a newer version is refused untouched", async () => {
  const workspace = await temp.open();
  await workspace.close();
  const path = join(temp.dir, "workspace.json");
  const file = JSON.parse(await readFile(path, "utf8")) as object;
  await writeFile(path, JSON.stringify({ ...file, schema_version: 2 }));
  const before = await allFiles(temp.dir);
  await expect(temp.open()).rejects.toMatchObject({ code: "WORKSPACE_TOO_NEW" });
  expect(await allFiles(temp.dir)).toEqual(before);
});

it("history that was taken away is missed", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => [chat("a")]);
  await workspace.close();
  await rm(join(temp.dir, "history"), { recursive: true });
  const again = await temp.open();
  expect(again.damage).toMatchObject({
    problem: expect.stringContaining("history ends before it") as string,
  });
  await expect(again.commit(() => [chat("b")])).rejects.toMatchObject({
    code: "WORKSPACE_READ_ONLY",
  });
  await again.close();
  await rm(join(temp.dir, "snapshots"), { recursive: true });
  const bare = await temp.open();
  expect(bare.damage).toMatchObject({ file: "history" });
  await bare.close();
});

it("files are for their owner alone", async () => {
  const workspace = await temp.open();
  await workspace.close();
  const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await mode(temp.dir)).toBe(0o700);
  expect(await mode(await temp.historyFile())).toBe(0o600);
  expect(await mode(join(temp.dir, "workspace.json"))).toBe(0o600);
});

it("a symbolic link in place of the history file is not followed", async () => {
  const outside = join(temp.home, "outside.jsonl");
  await mkdir(join(temp.dir, "history"), { recursive: true });
  await writeFile(outside, "");
  await symlink(outside, join(temp.dir, "history", "actions-20260101.jsonl"));
  await expect(temp.open()).rejects.toMatchObject({
    code: "STORAGE_FAILED",
    message: expect.stringContaining("ELOOP") as string,
  });
  expect(await readFile(outside, "utf8")).toBe("");
});

it("a fact of a kind that only a newer version knows refuses the workspace, untouched", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => [chat("a")]);
  await workspace.close();
  await rm(join(temp.dir, "snapshots"), { recursive: true });
  const path = await temp.historyFile();
  const [first = ""] = (await readFile(path, "utf8")).split("\n");
  const body = first
    .slice(0, first.lastIndexOf(',"crc"'))
    .replace("workspace.created", "workspace.dreamt");
  await writeFile(path, `${body},"crc":"${crc32(body).toString(16).padStart(8, "0")}"}\n`);
  const before = await allFiles(temp.dir);
  await expect(temp.open()).rejects.toMatchObject({ code: "WORKSPACE_TOO_NEW" });
  expect(new Map([...(await allFiles(temp.dir))].filter(([file]) => before.has(file)))).toEqual(
    before,
  );
});
