import { mkdtemp, rm, stat, statfs, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewFact } from "@multiverse/protocol/fact";
import type { FileSystem } from "@multiverse/orchestrator/store/file-system";
import { nodeFileSystem } from "@multiverse/orchestrator/store/node-file-system";
import { openWorkspace } from "@multiverse/orchestrator/store/open-workspace";
import { chat, testPorts } from "@multiverse/orchestrator/store/testing/test-ports";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";
import { runCommand } from "../harness/run-command.ts";
import { skipWithout } from "../harness/skips.ts";

const folder = await mkdtemp(join(tmpdir(), "full-"));
const mounted = await runCommand("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
const disk =
  mounted.code === 0
    ? {}
    : {
        missing: `a small disk cannot be mounted (${mounted.stderr.trim()})`,
        how: "run as root on Linux",
      };

/** The real file system, noting writes that were cut short. */
function watching(): { fs: FileSystem; short: () => number } {
  let short = 0;
  const fs: FileSystem = {
    ...nodeFileSystem,
    open: async (path, mode) => {
      const file = await nodeFileSystem.open(path, mode);
      return {
        ...file,
        write: async (bytes, position) => {
          const written = await file.write(bytes, position);
          if (written < bytes.byteLength) short += 1;
          return written;
        },
      };
    },
  };
  return { fs, short: () => short };
}

describe.skipIf(skipWithout(disk, "tests with a disk that is really full"))(
  "a disk of 1 MiB that is full",
  () => {
    let project: string;
    const filler = join(folder, "filler");
    const home = join(folder, "home");
    beforeAll(async () => {
      project = await mkdtemp(join(tmpdir(), "full-project-"));
    });
    afterAll(async () => {
      await runCommand("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
      await rm(project, { recursive: true, force: true });
    });

    async function fillUp(left: number): Promise<void> {
      await writeFile(filler, "");
      const { bavail, bsize } = await statfs(folder);
      await writeFile(filler, Buffer.alloc(bavail * bsize - left, 1));
    }

    const big = (id: string): NewFact => chat(id, "x".repeat(100_000));
    const historySize = async (workspace: Workspace): Promise<number> => {
      const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
      return (await stat(join(workspace.dir, "history", `actions-${day}.jsonl`))).size;
    };

    test("refuses changes, cuts short writes back, and works again when there is room", async () => {
      const { fs, short } = watching();
      const workspace = await openWorkspace({ home, projectRoot: project, ...testPorts(), fs });
      await workspace.checked();
      await workspace.commit(() => [chat("before")]);
      await workspace.flush();
      await fillUp(12_288);
      const size = await historySize(workspace);
      await expect(workspace.commit(() => [big("too-big")])).rejects.toMatchObject({
        code: "STORAGE_FULL",
        retryable: true,
      });
      expect(short()).toBeGreaterThan(0);
      expect(await historySize(workspace)).toBe(size);
      await expect(workspace.createSnapshot()).resolves.toBeDefined();
      await fillUp(0);
      await expect(workspace.commit(() => [big("full")])).rejects.toMatchObject({
        code: "STORAGE_FULL",
      });
      await expect(workspace.createSnapshot()).rejects.toMatchObject({ code: "STORAGE_FULL" });
      await truncate(filler, 0);
      await workspace.commit(() => [big("after")]);
      expect(
        workspace.state.incidents.filter((incident) => incident.kind === "history_failed").length,
      ).toBeGreaterThan(1);
      await workspace.close();
      const again = await openWorkspace({ home, projectRoot: project, ...testPorts() });
      expect(again.damage).toBeNull();
      expect(again.state.sessions.get("chat-1")?.messages.map((m) => m.id)).toEqual([
        "before",
        "after",
      ]);
      await again.close();
    });
  },
);
