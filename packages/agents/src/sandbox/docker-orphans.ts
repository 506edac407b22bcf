import { ContainerList } from "../docker/answers.ts";
import { removeContainer } from "../docker/container.ts";
import type { Engine } from "../docker/engine.ts";
import { removeVolume, volumesWith } from "../docker/volume.ts";
import { isAlive, startTimeOf } from "../process-group.ts";
import { LABEL } from "./docker-config.ts";

/** What tells this process from every other on this machine, also from later ones with its pid. */
export const ownerOf = (pid: number): string => `${pid}@${startTimeOf(pid) ?? "unknown"}`;

/** Removes this workspace's containers whose owner no longer lives; gives their ids. Nobody else's are touched. */
export async function removeOrphans(engine: Engine, workspaceId: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [`${LABEL}.workspace=${workspaceId}`] });
  const list = await engine.call(
    "GET",
    `/containers/json?all=1&filters=${encodeURIComponent(filters)}`,
  );
  const orphans = ContainerList.parse(list).filter(({ Labels }) =>
    isOrphan(Labels?.[`${LABEL}.owner`]),
  );
  for (const { Id } of orphans) await removeContainer(engine, Id);
  for (const { Name, Labels } of await volumesWith(engine, `${LABEL}.workspace=${workspaceId}`)) {
    if (isOrphan(Labels?.[`${LABEL}.owner`])) await removeVolume(engine, Name);
  }
  return orphans.map(({ Id }) => Id);
}

function isOrphan(owner: string | undefined): boolean {
  const [, pid, startTime] = /^(\d+)@(.+)$/.exec(owner ?? "") ?? [];
  if (pid === undefined || startTime === undefined) return false;
  return !isAlive(Number(pid), startTime);
}
