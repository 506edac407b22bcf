import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { idProblem } from "@multiverse/protocol/id";
import type { Guard } from "../guard/guard.ts";
import { refusalBody } from "../guard/knock.ts";
import { refuseUpgrade } from "../listen.ts";
import type { Workspaces } from "../workspaces.ts";
import type { Sockets } from "./sockets.ts";

const BASE = "http://localhost";
const EVENTS = /^\/api\/v1\/workspaces\/([^/]+)\/events$/;

/** WebSocket upgrades: the same guard as every route, then the one address there is. */
export function createUpgrade(guard: Guard, workspaces: Workspaces, sockets: Sockets) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const asked = request.url ?? "/";
    // What is no address (`//`) must not end the process: this is reached before any token was seen.
    if (!URL.canParse(asked, BASE)) return refuseUpgrade(socket, 400, "");
    const url = new URL(asked, BASE);
    const refusal = guard({
      method: request.method ?? "GET",
      path: url.pathname,
      header: (name) => allOf(request, name),
      isUpgrade: true,
    });
    if (refusal) return refuseUpgrade(socket, refusal.status, JSON.stringify(refusalBody(refusal)));
    const id = EVENTS.exec(url.pathname)?.[1];
    const since = sinceOf(url.searchParams.get("since"));
    if (id === undefined || idProblem(id)) return refuseUpgrade(socket, 404, "");
    if (since === undefined) return refuseUpgrade(socket, 400, "");
    workspaces.get(id).then(
      ({ feed }) => sockets.accept(request, socket, head, { workspaceId: id, feed, since }),
      () => refuseUpgrade(socket, 404, ""),
    );
  };
}

/** Several headers of one name are joined, so that they never look like one good one. */
function allOf(request: IncomingMessage, name: string): string | null {
  const values = request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === name,
  );
  return values.length > 0 ? values.join(", ") : null;
}

/** Null: from the state on. Undefined: not a seq. */
function sinceOf(text: string | null): number | null | undefined {
  if (text === null || text === "") return null;
  const seq = Number(text);
  return /^\d{1,15}$/.test(text) && Number.isSafeInteger(seq) ? seq : undefined;
}
