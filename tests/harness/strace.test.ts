import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "./run-command.ts";
import { present, skipWithout } from "./skips.ts";
import { findStrace } from "./strace.ts";

const strace = await findStrace();
const syncOnce = `const fs = require("node:fs"); const f = fs.openSync(process.argv[1], "w"); fs.fsyncSync(f);`;

describe.skipIf(skipWithout(strace, "tests that trace or break system calls"))("strace", () => {
  test("sees a program's fsync", async () => {
    const log = join(tmpdir(), `strace-${process.pid}.txt`);
    const target = `${log}.target`;
    try {
      const traced = present(strace).around(
        ["-e", "trace=fsync,fdatasync", "-o", log],
        [process.execPath, "-e", syncOnce, target],
      );
      expect((await runCommand(traced[0], traced.slice(1))).code).toBe(0);
      expect((await readFile(log, "utf8")).match(/fsync\(/g)).toHaveLength(1);
    } finally {
      await rm(log, { force: true });
      await rm(target, { force: true });
    }
  });

  test("makes that fsync fail", async () => {
    const target = join(tmpdir(), `strace-${process.pid}.target`);
    try {
      const broken = present(strace).around(
        ["-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "-o", "/dev/null"],
        [process.execPath, "-e", syncOnce, target],
      );
      const { code, stderr } = await runCommand(broken[0], broken.slice(1));
      expect({ code, told: stderr.includes("EIO") }).toEqual({ code: 1, told: true });
    } finally {
      await rm(target, { force: true });
    }
  });
});
