import type { SocketLike } from "./event-stream.ts";

/** The workspace's events as the browser reaches them: same origin, cookie sent by itself. */
export function openBrowserSocket(workspaceId: string, since: number): SocketLike {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const path = `/api/v1/workspaces/${encodeURIComponent(workspaceId)}/events?since=${since}`;
  return new WebSocket(`${scheme}://${location.host}${path}`);
}
