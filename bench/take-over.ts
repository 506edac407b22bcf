import { hasImage } from "@multiverse/agents/docker/image";
import { connectEngine } from "@multiverse/agents/docker/engine";
import { findDockerWithBaseImage } from "../tests/harness/docker.ts";
import { hostAddress, runEnv } from "../tests/docker/cli-task.ts";
import { limitingModel, takeOverIn, takeOverTask } from "../tests/docker/take-over.ts";
import { newPlace, runRunner } from "../tests/runner/harness/agent-runner.ts";
import type { Row } from "./row.ts";
import { median } from "./stats.ts";

const ROUNDS = 5;
const FIRST = "codex-cli";
const SECOND = "claude-code";
const PROMISED_MS = 2_000;

/** From the error of a limited CLI to the start of the one that takes over, in a container of its own. */
export async function run(): Promise<Row[]> {
  const docker = await findDockerWithBaseImage();
  if ("missing" in docker) return leftOut(docker.missing);
  const engine = connectEngine(docker.socket);
  const images = ["agent-runner-codex", "agent-runner-claude"];
  const found = await Promise.all(images.map((image) => hasImage(engine, image)));
  engine.close();
  if (found.includes(false)) return leftOut(`no image ${images[found.indexOf(false)]}`);
  const model = await limitingModel();
  const host = await hostAddress(docker);
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = newPlace();
      const task = takeOverTask(FIRST, SECOND, model, host);
      const { events } = await runRunner(place, { task, env: runEnv(place) });
      const between = takeOverIn(events, FIRST, SECOND).map(({ at }) => Date.parse(at));
      times.push(Math.max(...between) - Math.min(...between));
      place.remove();
    }
    const value = median(times);
    const ratio = value / PROMISED_MS;
    const name = "rate limit → next CLI's process, in a container of its own";
    return [{ name, value, unit: "ms", floor: PROMISED_MS, ratio, target: 1, ok: ratio <= 1 }];
  } finally {
    await model.close();
  }
}

function leftOut(why: string): Row[] {
  console.error(`left out, the take-over's row: ${why}`);
  return [];
}
