import { MultiverseError } from "@multiverse/protocol/error";
import { connectEngine } from "../docker/engine.ts";
import { EngineAnswer } from "../docker/errors.ts";
import { dockerSocket } from "../docker/socket.ts";
import { removeOrphans } from "./docker-orphans.ts";

/** Removes what dead runs of a workspace have left in Docker; gives the ids. Without Docker there is nothing to remove. */
export async function cleanUpContainers(
  workspaceId: string,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Promise<string[]> {
  try {
    const engine = connectEngine(dockerSocket(env, home));
    try {
      return await removeOrphans(engine, workspaceId);
    } finally {
      engine.close();
    }
  } catch (error) {
    if (error instanceof MultiverseError || error instanceof EngineAnswer) return [];
    throw error;
  }
}
