import { execFileSync } from "node:child_process";
import {
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
  type FileHandle,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBeneath } from "./open-beneath.ts";

const openPlainly = (path: string, flags: number): Promise<FileHandle> => open(path, flags);

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

async function outcome(relative: string, opener?: typeof openPlainly): Promise<string> {
  const opened = await openBeneath(root, relative, 1_000, opener);
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
});

describe("a tree that is changed between two steps", () => {
  /** Something put in place of something else, which is kept. */
  const swapped = async (path: string, by: (path: string) => Promise<void>): Promise<void> => {
    await rename(path, join(top, "kept"));
    await by(path);
  };
  const SWAPS: Readonly<Record<string, () => Promise<void>>> = {
    "the root for a link": () => swapped(root, (path) => symlink(top, path)),
    "a folder for a link": () => swapped(join(root, "sub"), (path) => symlink(top, path)),
    "the file for a link": () =>
      swapped(join(root, "sub/file"), (path) => symlink(join(top, "file"), path)),
    "the file for a second name": () =>
      swapped(join(root, "sub/file"), (path) => link(join(top, "file"), path)),
    "the file for a folder": () => swapped(join(root, "sub/file"), (path) => mkdir(path)),
  };
  const STEPS = 3; // the root, the folder, the file
  const moments = Object.keys(SWAPS).flatMap((what) =>
    Array.from({ length: STEPS }, (_, step) => [what, step] as const),
  );

  test.each(moments)("%s, before step %i: the outside is never read", async (what, step) => {
    await writeFile(join(root, "sub/file"), "inside");
    await mkdir(join(top, "sub"));
    for (const path of ["file", "sub/file"]) await writeFile(join(top, path), "outside");
    let steps = 0;
    const got = await outcome("sub/file", async (path, flags) => {
      if (steps++ === step) await SWAPS[what]?.();
      return open(path, flags);
    });
    // A step that was not reached would be a swap that never happened.
    expect(steps).toBeGreaterThan(step);
    expect(["read: inside", "link", "hard_link", "special"]).toContain(got);
  });

  test("a folder that was open already goes on being that folder", async () => {
    await writeFile(join(root, "sub/file"), "inside");
    let steps = 0;
    const got = await outcome("sub/file", async (path, flags) => {
      if (steps++ === 2) await SWAPS["a folder for a link"]?.();
      return open(path, flags);
    });
    expect(got).toBe("read: inside");
  });
});
