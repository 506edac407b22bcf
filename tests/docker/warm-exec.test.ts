import { connectEngine } from "@multiverse/agents/docker/engine";
import { startExec } from "@multiverse/agents/docker/exec";
import { describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { openTestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();
const ROUNDS = 15;

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

describe.skipIf(skipWithout(docker, "the cost of a warm container"))(
  "a command in a warm container",
  () => {
    test("costs at most 1.3 times what the bare exec of it costs", async () => {
      const box = await openTestSandbox();
      const engine = connectEngine(present(docker).socket);
      const bare = async (): Promise<unknown> => {
        const argv = ["git", "--version"];
        return (await startExec(engine, box.handle.id, { argv, stdin: "", onLine: () => {} })).done;
      };
      const ours = (): Promise<unknown> =>
        box.run("", { command: "git", args: ["--version"], env: { A_KEY: "x".repeat(200) } });
      try {
        await bare();
        await ours();
        const times = { bare: [] as number[], ours: [] as number[] };
        // In turns, so that whatever else the machine does falls on both.
        for (let round = 0; round < ROUNDS; round += 1) {
          times.bare.push(await timed(bare));
          times.ours.push(await timed(ours));
        }
        const ratio = median(times.ours) / median(times.bare);
        console.log(
          `warm exec: ${median(times.ours).toFixed(0)} ms, bare ${median(times.bare).toFixed(0)} ms`,
        );
        expect(ratio).toBeLessThan(1.3);
      } finally {
        engine.close();
        await box.remove();
      }
    }, 120_000);
  },
);
