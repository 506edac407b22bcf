import { LABEL } from "@multiverse/agents/sandbox/docker-config";
import { z } from "zod";
import { callDocker } from "../harness/docker-api.ts";
import type { DockerEngine } from "../harness/docker.ts";

const Containers = z.array(z.object({ Id: z.string(), State: z.string() }));
const Volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullable() });

const ours = (workspaceId: string): string =>
  encodeURIComponent(JSON.stringify({ label: [`${LABEL}.workspace=${workspaceId}`] }));

/** The containers of a workspace, whatever they do. */
export async function containersOf({ socket }: DockerEngine, workspaceId: string) {
  const path = `/containers/json?all=1&filters=${ours(workspaceId)}`;
  return Containers.parse(JSON.parse(String((await callDocker(socket, "GET", path)).body)));
}

export async function volumesOf({ socket }: DockerEngine, workspaceId: string): Promise<string[]> {
  const { body } = await callDocker(socket, "GET", `/volumes?filters=${ours(workspaceId)}`);
  return (Volumes.parse(JSON.parse(String(body))).Volumes ?? []).map(({ Name }) => Name);
}

/** True if the container was there to be killed. */
export const killContainer = async ({ socket }: DockerEngine, id: string): Promise<boolean> =>
  (await callDocker(socket, "POST", `/containers/${id}/kill`)).status === 204;
