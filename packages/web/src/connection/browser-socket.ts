import { eventsPath, type ResumePoint } from "@multiverse/protocol/socket";
import type { SocketLike } from "./event-stream.ts";

/** The workspace's events as the browser reaches them: same origin, cookie sent by itself. */
export function openBrowserSocket(workspaceId: string, from: ResumePoint): SocketLike {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/api/v1${eventsPath(workspaceId, from)}`);
}
