import { appendFile, cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { runCommand, type CommandOutcome } from "../harness/run-command.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { findStrace } from "../harness/strace.ts";
import { bundleWriter, newPlace, openPlace, problemsAfter, type Place } from "./store-program.ts";

const strace = await findStrace();

describe.skipIf(skipWithout(strace, "tests that kill a store at every system call"))(
  "a store that is killed",
  () => {
    let writer: Awaited<ReturnType<typeof bundleWriter>>;
    let base: string;
    beforeAll(async () => {
      writer = await bundleWriter();
      base = await mkdtemp(join(tmpdir(), "kill-"));
    });
    afterAll(async () => {
      await writer.remove();
      await rm(base, { recursive: true, force: true });
    });

    /** Runs the writer with one fault at the n-th system call on some paths. One thread does all I/O, so n is exact. */
    function runWith(
      place: Place,
      mode: string,
      paths: readonly string[],
      inject: string,
    ): Promise<CommandOutcome> {
      const options = [
        "-qq",
        "-o",
        "/dev/null",
        ...paths.flatMap((path) => ["-P", path]),
        "-e",
        `inject=${inject}`,
      ];
      const [command, ...args] = present(strace).around(options, [
        process.execPath,
        writer.path,
        mode,
        place.home,
        place.project,
      ]);
      return runCommand(command, args, { env: { ...process.env, UV_THREADPOOL_SIZE: "1" } });
    }

    const historyOf = (place: Place): string[] => [
      place.history,
      join(place.dir, "history"),
      join(place.dir, "snapshots"),
    ];
    const everything =
      "openat,read,pread64,pwrite64,write,fdatasync,fsync,ftruncate,fstat,close,getdents64,unlink,rename,statx";

    test(
      "at every system call on its history keeps what it acknowledged",
      { timeout: 600_000 },
      async () => {
        let killed = 0;
        for (let n = 1; ; n += 1) {
          const place = await newPlace(base);
          const { stdout } = await runWith(
            place,
            "write",
            historyOf(place),
            `${everything}:signal=KILL:when=${n}`,
          );
          if (stdout.includes("closed")) break;
          killed += 1;
          expect(
            await problemsAfter(place, stdout),
            `killed at call ${n}, after ${stdout}`,
          ).toEqual([]);
        }
        expect(killed).toBeGreaterThan(12);
      },
    );

    test(
      "at every rename, of snapshots and views, keeps what it acknowledged",
      { timeout: 600_000 },
      async () => {
        let killed = 0;
        for (let n = 1; ; n += 1) {
          const place = await newPlace(base);
          const { stdout } = await runWith(
            place,
            "write",
            [],
            `rename,renameat,renameat2:signal=KILL:when=${n}`,
          );
          if (stdout.includes("closed")) break;
          killed += 1;
          expect(await problemsAfter(place, stdout), `killed at rename ${n}`).toEqual([]);
        }
        expect(killed).toBeGreaterThan(4);
      },
    );

    test(
      "again and again while it recovers comes to the same end as one clean recovery",
      { timeout: 600_000 },
      async () => {
        const place = await newPlace(base);
        const full = await runCommand(process.execPath, [
          writer.path,
          "write",
          place.home,
          place.project,
        ]);
        expect(full.stdout).toContain("closed");
        await rm(join(place.dir, "snapshots"), { recursive: true });
        await appendFile(place.history, '{"v":1,"seq":99,"half a li');
        const clean = { ...place, home: `${place.home}-clean` };
        await cp(place.home, clean.home, { recursive: true });
        let killed = 0;
        for (let n = 1; ; n += 1) {
          const { stdout } = await runWith(
            place,
            "open",
            historyOf(place),
            `${everything}:signal=KILL:when=${n}`,
          );
          if (stdout.includes("closed")) break;
          killed += 1;
        }
        expect(killed).toBeGreaterThan(10);
        const plain = async (at: Place): Promise<string> => {
          const workspace = await openPlace(at);
          await workspace.close();
          const { incidents, ...rest } = saveState(workspace.state);
          return canonicalJson({
            ...rest,
            seq: 0,
            factId: "",
            incidents: incidents.map((incident) => incident.message),
          });
        };
        const cleanly = {
          ...clean,
          dir: join(clean.home, "workspaces", place.dir.split("/").at(-1) ?? ""),
        };
        expect(await plain(place)).toBe(await plain(cleanly));
        expect(
          await readFile(join(place.dir, "history", "torn-10.bin"), "utf8").catch(() => ""),
        ).toContain("half a li");
      },
    );

    test.each([
      ["history", "fdatasync", (place: Place) => [place.history]],
      ["the history folder", "fsync", (place: Place) => [join(place.dir, "history")]],
      ["a snapshot", "fsync", (place: Place) => [join(place.dir, "snapshots")]],
    ])(
      "when fsync of %s fails once, ends with a code other than 0 and acknowledges nothing more",
      async (_, call, paths) => {
        let fired = 0;
        for (let n = 1; n <= 3; n += 1) {
          const place = await newPlace(base);
          const { code, stdout } = await runWith(
            place,
            "write",
            paths(place),
            `${call}:error=EIO:when=${n}`,
          );
          if (stdout.includes("closed")) break;
          fired += 1;
          expect(code).toBe(4);
          expect(await problemsAfter(place, stdout)).toEqual([]);
        }
        expect(fired).toBeGreaterThan(0);
      },
    );

    test("a view that cannot be read is kept aside and written anew", async () => {
      const place = await newPlace(base);
      await (await openPlace(place)).close();
      const view = join(place.dir, "state", "tasks.json");
      const { stdout } = await runWith(place, "open", [view], "read,pread64:error=EIO:when=1");
      expect(stdout).toContain("closed");
      expect(
        (await readdir(join(place.dir, "state"))).some((name) =>
          name.startsWith("tasks.json.corrupt-"),
        ),
      ).toBe(true);
      expect(JSON.parse(await readFile(view, "utf8"))).toMatchObject({ tasks: [] });
    });
  },
);
