import { CODING_CLIS } from "@multiverse/agents/cli/registry";
import { connectEngine } from "@multiverse/agents/docker/engine";
import { hasImage } from "@multiverse/agents/docker/image";
import type { DoctorCheck } from "@multiverse/protocol/http/responses";
import { pingDocker, socketOf, type Environment } from "../environment.ts";

/** Which images of coding CLIs are here; one that is not is pulled or built when a task first needs it. */
export async function probeImages(environment: Environment): Promise<DoctorCheck> {
  const found = await imagesHere(environment);
  const here = CODING_CLIS.filter((_, index) => found[index]).map(({ kind }) => kind);
  const missing = CODING_CLIS.filter((_, index) => !found[index]).map(({ kind }) => kind);
  return {
    id: "images",
    title: "Images",
    status: missing.length === 0 ? "ok" : "warning",
    detail: here.length === 0 ? "none here yet" : `here: ${here.join(", ")}`,
    hint: missing.length === 0 ? "" : `Build what you need: multiverse images build ${missing[0]}`,
  };
}

async function imagesHere(environment: Environment): Promise<boolean[]> {
  const socket = socketOf(environment.env, environment.homeFolder);
  if (socket === null || !(await pingDocker(environment)).ok) return CODING_CLIS.map(() => false);
  const engine = connectEngine(socket);
  try {
    const asked = CODING_CLIS.map((cli) => hasImage(engine, `${cli.image}:latest`));
    return (await Promise.allSettled(asked)).map(
      (answer) => answer.status === "fulfilled" && answer.value,
    );
  } finally {
    engine.close();
  }
}
