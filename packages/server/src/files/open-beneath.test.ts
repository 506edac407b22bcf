import { execFileSync } from "node:child_process";
import { link, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBeneath } from "./open-beneath.ts";

let top: string;
let root: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "multiverse-beneath-"));
  root = join(top, "root");
  await mkdir(join(root, "sub"), { recursive: true });
  await writeFile(join(top, "secret"), "secret");
  await mkdir(join(top, "root-evil"));
  await writeFile(join(top, "root-evil/secret"), "secret");
});
afterEach(() => rm(top, { recursive: true, force: true }));

async function outcome(relative: string, largest = 1_000): Promise<string> {
  const opened = await openBeneath(root, relative, largest);
  if (!opened.ok) return opened.why;
  try {
    return `read: ${await opened.file.readFile("utf8")}`;
  } finally {
    await opened.file.close();
  }
}

test("a plain file below the root is opened", async () => {
  await writeFile(join(root, "sub/file"), "fine");
  expect(await outcome("sub/file")).toBe("read: fine");
});

test.each([
  "",
  ".",
  "..",
  "../secret",
  "sub/../../secret",
  "/etc/passwd",
  "a\\b",
  "a\0b",
  "sub//x",
  "../root-evil/secret",
])("%j is outside", async (relative) => {
  expect(await outcome(relative)).toBe("outside");
});

describe("what a worker can leave in a tree", () => {
  test("links are not followed, whether they lead to a file, nowhere or a folder", async () => {
    await symlink(join(top, "secret"), join(root, "file"));
    await symlink(join(top, "nowhere"), join(root, "dangling"));
    await symlink(top, join(root, "folder"));
    await symlink("file", join(root, "to-link"));
    expect(await outcome("file")).toBe("link");
    expect(await outcome("dangling")).toBe("link");
    expect(await outcome("folder/secret")).toBe("link");
    expect(await outcome("to-link")).toBe("link");
  });

  test("a second name of a file outside is refused", async () => {
    await link(join(top, "secret"), join(root, "hard"));
    expect(await outcome("hard")).toBe("hard_link");
  });

  test("a FIFO, a device and a folder are refused without waiting", async () => {
    execFileSync("mkfifo", [join(root, "fifo")]);
    expect(await outcome("fifo")).toBe("special");
    expect(await outcome("sub")).toBe("special");
  });

  test("a huge sparse file is refused by its size", async () => {
    await writeFile(join(root, "huge"), "");
    await truncate(join(root, "huge"), 10 * 1_073_741_824);
    expect(await outcome("huge")).toBe("too_large");
  });

  test("swapping a file and a folder for links meanwhile never lets the outside through", async () => {
    await writeFile(join(root, "sub/file"), "inside");
    await symlink(top, join(top, "evil-folder"));
    let isRacing = true;
    const race = (async () => {
      for (let i = 0; isRacing; i++) {
        await rename(join(root, "sub"), join(top, "kept"));
        await rename(join(top, "evil-folder"), join(root, "sub"));
        await rename(join(root, "sub"), join(top, "evil-folder"));
        await rename(join(top, "kept"), join(root, "sub"));
      }
    })();
    await writeFile(join(top, "file"), "outside");
    const seen = new Map<string, number>();
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      const got = await outcome("sub/file");
      seen.set(got, (seen.get(got) ?? 0) + 1);
    }
    isRacing = false;
    await race;
    expect([...seen.keys()].filter((got) => got.includes("outside"))).toEqual([]);
    // The race was a real one: both the file and its absence were met.
    expect(seen.size).toBeGreaterThan(1);
    expect(seen.has("read: inside")).toBe(true);
  }, 20_000);
});
