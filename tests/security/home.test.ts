import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHome } from "@multiverse/server/home";
import { readPrivateFile, writePrivateFile } from "@multiverse/server/private-file";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "multiverse-home-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the home", () => {
  test("is made for its user alone, and brought back to that", async () => {
    const path = join(root, "home");
    await openHome(path);
    expect(await modeOf(path)).toBe(0o700);
    await chmod(path, 0o777);
    await chmod(join(path, "config"), 0o755);
    await openHome(path);
    expect([await modeOf(path), await modeOf(join(path, "config"))]).toEqual([0o700, 0o700]);
  });

  test.skipIf(process.getuid?.() !== 0)("is refused if it belongs to someone else", async () => {
    const path = join(root, "home");
    await mkdir(path);
    await chown(path, 12_345, 12_345);
    await expect(openHome(path)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("the token's file", () => {
  test("is written 0600, also over one that others could read", async () => {
    const path = join(root, "server.json");
    await writeFile(path, "old", { mode: 0o644 });
    await writePrivateFile(path, "new");
    expect([await modeOf(path), await readFile(path, "utf8")]).toEqual([0o600, "new"]);
  });

  test("is narrowed when it is read, and never read through a link", async () => {
    const path = join(root, "server.json");
    await writeFile(path, "text", { mode: 0o644 });
    expect(await readPrivateFile(path)).toBe("text");
    expect(await modeOf(path)).toBe(0o600);
    await symlink("/etc/passwd", join(root, "link"));
    await expect(readPrivateFile(join(root, "link"))).rejects.toMatchObject({
      code: "STORAGE_FAILED",
    });
  });
});
