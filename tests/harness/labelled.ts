import { LABEL } from "@multiverse/agents/sandbox/docker-config";
import { z } from "zod";
import { callDocker } from "./docker-api.ts";
import type { DockerEngine } from "./docker.ts";

const Containers = z.array(z.object({ Id: z.string(), State: z.string() }));
const Volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullable() });

/** What the product writes on everything it makes in Docker, as far as one wants to know it. */
export type Labels = Readonly<Partial<Record<"workspace" | "task" | "role", string>>>;

const filterOf = (labels: Labels): string => {
  const label = Object.entries(labels).map(([name, value]) => `${LABEL}.${name}=${value}`);
  return encodeURIComponent(JSON.stringify({ label }));
};

/** The containers with these labels, whatever they do. */
export async function containersWith({ socket }: DockerEngine, labels: Labels) {
  const path = `/containers/json?all=1&filters=${filterOf(labels)}`;
  return Containers.parse(JSON.parse(String((await callDocker(socket, "GET", path)).body)));
}

export async function volumesWith({ socket }: DockerEngine, labels: Labels): Promise<string[]> {
  const { body } = await callDocker(socket, "GET", `/volumes?filters=${filterOf(labels)}`);
  return (Volumes.parse(JSON.parse(String(body))).Volumes ?? []).map(({ Name }) => Name);
}

/** True if the container was there to be killed. */
export const killContainer = async ({ socket }: DockerEngine, id: string): Promise<boolean> =>
  (await callDocker(socket, "POST", `/containers/${id}/kill`)).status === 204;
