import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliOf } from "@multiverse/agents/cli/registry";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { containersWith, volumesWith } from "../harness/labelled.ts";
import { inOrder } from "../harness/scripted-model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../harness/scripted-model/server.ts";
import {
  newPlace,
  statesOf,
  startRunner,
  type Place,
  type Started,
} from "../runner/harness/agent-runner.ts";
import { ensureCliImages } from "./cli-images.ts";
import { cliTask, hostAddress, runEnv } from "./cli-task.ts";
import { describeOnSecondEngine } from "./on-second-engine.ts";

const KIND = "codex-cli";
const GOES_ON = "the command goes on in its container";

/** Works until it is told to go on, in the middle of which the engine goes away, and then does a second thing. */
const openModel = () =>
  startScriptedModel({
    work: inOrder(
      {
        run: "echo begun > begun.txt; i=0; while [ ! -e go-on ]; do i=$((i+1)); sleep 0.1; done; echo done at last",
      },
      { write: { path: "hello.txt", content: "hello\n" } },
      { say: "Wrote hello.txt." },
    ),
  });

describeOnSecondEngine(
  "a real CLI on an engine that is restarted while it works",
  {
    liveRestore: true,
    async image(first) {
      await ensureCliImages(first, [KIND]);
      return cliOf(KIND)?.image ?? "";
    },
  },
  (engine) => {
    let model: ScriptedModel;
    let host: string;
    let place: Place;
    let run: Started;
    beforeAll(async () => {
      model = await openModel();
      await engine().network.openDoor(model.port);
      host = await hostAddress(engine());
    });
    afterAll(() => model.close());
    beforeEach(() => void (place = newPlace()));
    afterEach(async () => {
      run.child.kill("SIGKILL");
      await run.ended;
      place.remove();
    });

    /** A run that has come to the middle of its work. */
    async function begin(worker: object = {}): Promise<void> {
      const task = cliTask({ id: "restart", kind: KIND, model, host, scenario: "work", worker });
      const env = {
        ...runEnv(place),
        DOCKER_HOST: `unix://${engine().socket}`,
        MULTIVERSE_ALLOW_PRIVATE_HOSTS: host,
      };
      run = startRunner(place, { task, env });
      const hasBegun = (): boolean => existsSync(join(place.repo, "begun.txt"));
      const isOver = (): boolean => hasBegun() || run.child.exitCode !== null;
      await expect.poll(isOver, { timeout: 90_000 }).toBe(true);
      expect([hasBegun(), run.events.at(-1)]).toEqual([true, expect.anything()]);
    }
    const goOn = (): void => writeFileSync(join(place.repo, "go-on"), "");

    async function expectWhole(): Promise<void> {
      const { code, events, result } = await run.ended;
      expect([code, result()]).toEqual([0, expect.objectContaining({ state: "COMPLETE" })]);
      expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toBe("hello\n");
      const told = events.flatMap((event) => (event.type === "worker_event" ? [event] : []));
      expect(told.filter(({ kind }) => kind === "command").map(({ exitCode }) => exitCode)).toEqual(
        [null, 0],
      );
      expect(told.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(["file_change", "message"]),
      );
      expect(
        events.find((event) => event.type === "worker" && event.phase === "completed"),
      ).toMatchObject({
        exitCode: 0,
        summary: "Wrote hello.txt.",
        usage: { inputTokens: 3 * 1_234, outputTokens: 3 * 56 },
      });
      expect(await containersWith(engine(), {})).toEqual([]);
    }

    test.each<[signal: NodeJS.Signals, network: string]>([
      ["SIGTERM", "default"],
      ["SIGKILL", "allowlist"],
    ])(
      "with live-restore, ended by %s (network: %s), it works on meanwhile and the task is complete with every event",
      async (signal, network) => {
        await begin({ network });
        await engine().stop(signal);
        await run.seen((event) => event.type === "log" && event.message.includes(GOES_ON));
        goOn();
        // Everything of the CLI happens while there is no engine; the check at the end waits for it.
        await run.seen((event) => event.type === "worker" && event.phase === "completed");
        await engine().start({ liveRestore: true });
        await expectWhole();
      },
      180_000,
    );

    test.each<[signal: NodeJS.Signals, network: string]>([
      ["SIGTERM", "allowlist"],
      ["SIGKILL", "default"],
    ])(
      "without it, ended by %s (network: %s), the run is told as one that Docker lost, with what to do",
      async (signal, network) => {
        await engine().stop();
        await engine().start({ liveRestore: false });
        await begin({ network });
        await engine().stop(signal);
        await engine().start();
        const { code, events, result } = await run.ended;
        expect(code).toBe(1);
        expect(statesOf(events).at(-1)).toBe("FAILED");
        // Whoever runs tasks makes the attempt again for this reason, without counting it.
        expect(result()).toMatchObject({
          reason: "sandbox_error",
          summary: expect.stringMatching(/Docker|container was (?:stopped|removed)/) as string,
          hint: expect.stringMatching(/Docker/) as string,
        });
      },
      180_000,
    );

    test("and run again on the engine that came back, it takes away what was left and is complete", async () => {
      await begin({ network: "allowlist" });
      goOn();
      const { code } = await run.ended;
      expect(code).toBe(0);
      expect(await containersWith(engine(), {})).toEqual([]);
      // Some engines do not let go of a volume that was used over a restart before the one after it.
      expect(await volumesWith(engine(), {})).toEqual([]);
    }, 180_000);
  },
);
