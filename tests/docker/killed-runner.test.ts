import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpContainers } from "@multiverse/agents/sandbox/clean-up";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { ANY_TASK, fakeCodex, putFakeCodex } from "../harness/fake-codex.ts";
import { containersWith, volumesWith } from "../harness/labelled.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { newPlace, startRunner, type Place } from "../runner/harness/agent-runner.ts";
import { ensureNodeImage, nodeImage } from "./cli-images.ts";
import { openKillingSocket } from "./killing-socket.ts";

const docker = await findDockerWithBaseImage();

/** With side-cars and a volume, so that there is as much as possible to be left behind. */
const TASK = {
  version: 1,
  task: { id: "killed", title: "x", prd: { text: "x" } },
  runner: {
    max_loops: 1,
    meta: { kind: "mock" },
    worker: {
      kind: "codex-cli",
      docker_image: nodeImage,
      network: "allowlist",
      env: { CODEX_API_KEY: "sk-not-a-key", FAKE_CODEX_SEC: "0" },
    },
    tooling: { profiles: [{ id: "p", categories: { worker: { candidates: [fakeCodex] } } }] },
  },
};

describe.skipIf(skipWithout(docker, "a runner that is killed between two calls to Docker"))(
  "a runner that is killed when the engine has done what it asked, before it hears so",
  () => {
    let place: Place;
    let script: string;
    beforeAll(() => ensureNodeImage(present(docker)), 120_000);
    beforeEach(() => {
      place = newPlace();
      script = join(place.folder, "script.yaml");
      writeFileSync(script, ANY_TASK);
      putFakeCodex(place.repo);
    });
    afterEach(() => place.remove());

    const workspaceOf = (nth: number): string => `killed-${process.pid}-${nth}`;

    /** Null as the code: it was killed. */
    async function runKilledAt(nth: number) {
      const path = join(place.folder, `docker-${nth}`);
      let kill = (): void => {};
      const socket = await openKillingSocket(present(docker), path, nth, () => kill());
      const run = startRunner(place, {
        task: TASK,
        env: {
          MULTIVERSE_MOCK_SCRIPT: script,
          MULTIVERSE_WORKSPACE_ID: workspaceOf(nth),
          DOCKER_HOST: `unix://${path}`,
        },
      });
      kill = () => void run.child.kill("SIGKILL");
      const { code, stderr } = await run.ended;
      await socket.close();
      return { code, stderr, pid: run.child.pid, at: socket.changes[nth - 1] ?? "" };
    }

    /** How much of a run is there. */
    async function leftOf(nth: number): Promise<number> {
      const ours = { workspace: workspaceOf(nth) };
      const containers = await containersWith(present(docker), ours);
      return containers.length + (await volumesWith(present(docker), ours)).length;
    }

    test("leaves nothing that is not found and taken away, at whichever call it was", async () => {
      const env = { DOCKER_HOST: `unix://${present(docker).socket}` };
      const killed: string[] = [];
      const pids: (number | undefined)[] = [];
      let mostLeft = 0;
      let run = await runKilledAt(1);
      for (let nth = 1; run.code === null; run = await runKilledAt((nth += 1))) {
        const { at } = run;
        killed.push(at);
        pids.push(run.pid);
        mostLeft = Math.max(mostLeft, await leftOf(nth));
        await cleanUpContainers(workspaceOf(nth), env, "/nonexistent-home");
        expect(await leftOf(nth), `killed at ${nth}: ${at}`).toBe(0);
      }
      expect([run.code, run.stderr]).toEqual([0, expect.any(String)]);
      // Everything there is to be killed at was: three containers made, started and used, and taken away again.
      for (const [step, times] of [
        [/volumes\/create/, 1],
        [/containers\/create/, 3],
        [/containers\/ID\/start/, 3],
        [/containers\/ID\/exec/, 4],
        [/exec\/ID\/start/, 4],
        [/DELETE \/[^/]+\/containers/, 3],
      ] as const)
        expect(killed.filter((at) => step.test(at)).length, `${step}`).toBeGreaterThanOrEqual(
          times,
        );
      expect(mostLeft).toBe(4);
      const pipes = readdirSync(tmpdir()).filter((name) =>
        pids.some((pid) => name.startsWith(`multiverse-pipes-${pid}-`)),
      );
      expect(pipes, "the run that was not killed has swept").toEqual([]);
      expect(existsSync(join(place.repo, ".git")), "the guard's stand-in").toBe(false);
    }, 600_000);
  },
);
