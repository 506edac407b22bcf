import { randomBytes } from "node:crypto";
import { ServerFile } from "@multiverse/protocol/settings";
import type { Home } from "./home.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

/** server.json: how our own CLI finds the running server. Token and port outlive it, so open tabs go on after a restart. */
export async function readServerFile(home: Home): Promise<ServerFile | null> {
  const text = await readPrivateFile(home.serverFile);
  if (text === null) return null;
  try {
    return ServerFile.parse(JSON.parse(text));
  } catch {
    return null; // cut short or edited by hand: a new one takes its place
  }
}

export const writeServerFile = (home: Home, file: ServerFile): Promise<void> =>
  writePrivateFile(home.serverFile, `${JSON.stringify(file, null, 2)}\n`);

/** After a clean stop nobody serves, and the file says so; token and port stay for the next start. */
export async function markStopped(home: Home, pid: number): Promise<void> {
  const file = await readServerFile(home);
  if (file?.pid === pid) await writeServerFile(home, { ...file, pid: 0 });
}

export const newToken = (): string => randomBytes(32).toString("base64url");
