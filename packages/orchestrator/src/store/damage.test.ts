import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chat } from "./testing/test-ports.ts";
import { allFiles, tempWorkspace, textOf, type TempWorkspace } from "./testing/temp-workspace.ts";
import { offerRepair, repairWorkspace } from "./repair-workspace.ts";

let temp: TempWorkspace;
beforeEach(async () => {
  temp = await tempWorkspace();
});
afterEach(() => temp.remove());

/** A history of single commits and one last commit, left as a crash leaves it: no snapshot was taken. */
async function crashed(
  count: number,
  last = [chat("last", "日本語 🙂")],
): Promise<{ path: string; bytes: Buffer; text: string }> {
  const workspace = await temp.open();
  for (let i = 1; i < count; i += 1) await workspace.commit(() => [chat(`m-${i}`)]);
  const text = textOf(workspace);
  await workspace.commit(() => last);
  const path = await temp.historyFile();
  const bytes = await readFile(path);
  await workspace.close();
  await rm(join(temp.dir, "snapshots"), { recursive: true });
  await writeFile(path, bytes);
  return { path, bytes, text };
}

const lineStart = (bytes: Buffer, line: number): number => {
  let at = 0;
  for (let i = 0; i < line; i += 1) at = bytes.indexOf(0x0a, at) + 1;
  return at;
};

/** A state without what the mending itself adds to it. */
function withoutMending(text: string): Record<string, unknown> {
  const {
    incidents: _,
    seq: __,
    factId: ___,
    ...rest
  } = JSON.parse(text) as Record<string, unknown>;
  return rest;
}

it(
  "a last commit cut at any byte is as if it never was, and the log says that it was mended",
  { timeout: 600_000 },
  async () => {
    const { path, bytes, text } = await crashed(3);
    const start = lineStart(bytes, 3);
    expect(bytes.length - start).toBeGreaterThan(300);
    for (let cut = start + 1; cut < bytes.length; cut += 1) {
      await writeFile(path, bytes.subarray(0, cut));
      await rm(join(temp.dir, "snapshots"), { recursive: true, force: true });
      for (const name of await readdir(join(temp.dir, "history"))) {
        if (name.startsWith("torn-")) await rm(join(temp.dir, "history", name));
      }
      const workspace = await temp.open();
      expect(workspace.damage, `cut at ${cut}`).toBeNull();
      expect(workspace.state.seq).toBe(4);
      const [incident] = workspace.state.incidents;
      expect(incident?.message).toContain(
        `byte ${start}: ${cut - start} bytes set aside as torn-4.bin`,
      );
      expect(
        (await readFile(join(temp.dir, "history", "torn-4.bin"))).equals(
          bytes.subarray(start, cut),
        ),
      ).toBe(true);
      const mended = await readFile(path);
      expect(mended.subarray(0, start).equals(bytes.subarray(0, start))).toBe(true);
      expect(withoutMending(textOf(workspace))).toEqual(withoutMending(text));
      await workspace.commit(() => [chat("next")]);
      await workspace.close();
    }
  },
);

it("half a transaction is as if it never was", async () => {
  const { path, bytes } = await crashed(3, [chat("one"), chat("two"), chat("three")]);
  await writeFile(path, bytes.subarray(0, lineStart(bytes, 5)));
  const workspace = await temp.open();
  expect(workspace.damage).toBeNull();
  expect(workspace.state.sessions.get("chat-1")?.messages.map((m) => m.id)).toEqual(["m-1", "m-2"]);
  expect(
    (await readFile(join(temp.dir, "history", "torn-4.bin"), "utf8")).split("\n"),
  ).toHaveLength(3);
  await workspace.close();
});

describe("damage that no crash can cause", () => {
  const cases: { name: string; spoil: (bytes: Buffer) => Buffer; line: number; says: string }[] = [
    {
      name: "a flipped byte",
      line: 3,
      says: "checksum",
      spoil: (bytes) => {
        const copy = Buffer.from(bytes);
        const at = lineStart(bytes, 3) + 100;
        copy[at] = (copy[at] ?? 0) ^ 0x01;
        return copy;
      },
    },
    {
      name: "a run of 500 NULs",
      line: 3,
      says: "checksum",
      spoil: (bytes) => {
        const copy = Buffer.from(bytes);
        const at = lineStart(bytes, 3) + 50;
        copy.fill(0, at, at + 500);
        return copy;
      },
    },
    {
      name: "a missing line",
      line: 3,
      says: "seq 4 is missing before seq 5",
      spoil: (bytes) =>
        Buffer.concat([
          bytes.subarray(0, lineStart(bytes, 3)),
          bytes.subarray(lineStart(bytes, 4)),
        ]),
    },
    {
      name: "two lines with the same number",
      line: 5,
      says: "seq 5 stands twice",
      spoil: (bytes) => {
        const line = bytes.subarray(lineStart(bytes, 3), lineStart(bytes, 4)).toString("utf8");
        const body = line.slice(0, line.lastIndexOf(',"crc"')).replace('"seq":4', '"seq":5');
        const other = Buffer.from(`${body},"crc":"${crc(body)}"}\n`);
        return Buffer.concat([
          bytes.subarray(0, lineStart(bytes, 5)),
          other,
          bytes.subarray(lineStart(bytes, 5)),
        ]);
      },
    },
    {
      name: "a strange line in between",
      line: 3,
      says: "checksum",
      spoil: (bytes) =>
        Buffer.concat([
          bytes.subarray(0, lineStart(bytes, 3)),
          Buffer.from("hello\n"),
          bytes.subarray(lineStart(bytes, 3)),
        ]),
    },
  ];

  it.each(cases)(
    "$name opens the workspace read-only, with file and offset, and changes no byte",
    async ({ spoil, line, says }) => {
      const { path, bytes } = await crashed(8);
      const spoilt = spoil(bytes);
      await writeFile(path, spoilt);
      const workspace = await temp.open();
      expect(workspace.damage).toEqual({
        file: `history/${path.split("/").at(-1)}`,
        offset: lineStart(spoilt, line),
        problem: expect.stringContaining(says) as string,
      });
      await expect(workspace.commit(() => [chat("x")])).rejects.toMatchObject({
        code: "WORKSPACE_READ_ONLY",
      });
      await expect(workspace.createSnapshot()).rejects.toMatchObject({
        code: "WORKSPACE_READ_ONLY",
      });
      await workspace.close();
      expect((await readFile(path)).equals(spoilt)).toBe(true);
    },
  );

  it("the same line twice is read once", async () => {
    const { path, bytes } = await crashed(8);
    const line = bytes.subarray(lineStart(bytes, 3), lineStart(bytes, 4));
    await writeFile(
      path,
      Buffer.concat([
        bytes.subarray(0, lineStart(bytes, 4)),
        line,
        bytes.subarray(lineStart(bytes, 4)),
      ]),
    );
    const workspace = await temp.open();
    expect(workspace.damage).toBeNull();
    expect(workspace.state.seq).toBe(9);
    await workspace.close();
  });
});

const crc = (body: string): string => crc32(body).toString(16).padStart(8, "0");

describe("damage before the newest snapshot", () => {
  async function damaged(): Promise<{ path: string; text: string }> {
    const workspace = await temp.open();
    for (let i = 1; i < 8; i += 1) await workspace.commit(() => [chat(`m-${i}`)]);
    await workspace.createSnapshot();
    await workspace.commit(() => [chat("after")]);
    await workspace.close();
    const path = await temp.historyFile();
    const bytes = await readFile(path);
    bytes[lineStart(bytes, 3) + 100] = 0x00;
    await writeFile(path, bytes);
    return { path, text: textOf(workspace) };
  }

  it("is found behind the opening and makes the workspace read-only", async () => {
    await damaged();
    const found: unknown[] = [];
    const workspace = await temp.open({ onDamage: (damage) => found.push(damage) });
    await workspace.checked();
    expect(found).toEqual([workspace.damage]);
    expect(workspace.damage).toMatchObject({ problem: "the checksum does not match" });
    await expect(workspace.commit(() => [chat("x")])).rejects.toMatchObject({
      code: "WORKSPACE_READ_ONLY",
    });
    await workspace.close();
  });

  it("can be repaired without losing the state, and the damaged file is kept", async () => {
    const { path, text } = await damaged();
    const spoilt = await readFile(path, "latin1");
    const before = await allFiles(temp.dir);
    const offer = await offerRepair(temp.options);
    expect(offer).toMatchObject({ lastGoodSeq: 3, choices: ["newest-state", "last-good"] });
    expect(await allFiles(temp.dir)).toEqual(before);
    const repaired = await repairWorkspace(temp.options, "newest-state");
    const workspace = await temp.open();
    await workspace.checked();
    expect(workspace.damage).toBeNull();
    const sessions = (state: string): unknown =>
      (JSON.parse(state) as { sessions: unknown }).sessions;
    expect(sessions(textOf(workspace))).toEqual(sessions(text));
    expect(workspace.state.incidents.at(-1)?.message).toContain(repaired?.keptIn);
    const kept = [...(await allFiles(join(temp.dir, repaired?.keptIn ?? ""))).values()];
    expect(kept).toContain(spoilt);
    await workspace.commit(() => [chat("it-works")]);
    await workspace.close();
  });

  it("can be repaired back to the last good fact", async () => {
    await damaged();
    await repairWorkspace(temp.options, "last-good");
    const workspace = await temp.open();
    await workspace.checked();
    expect(workspace.damage).toBeNull();
    expect(workspace.state.sessions.get("chat-1")?.messages.map((m) => m.id)).toEqual([
      "m-1",
      "m-2",
    ]);
    expect(await offerRepairAfter(workspace)).toBeNull();
  });

  async function offerRepairAfter(workspace: { close(): Promise<void> }): Promise<unknown> {
    await workspace.close();
    return offerRepair(temp.options);
  }
});
