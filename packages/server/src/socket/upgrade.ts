import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { idProblem } from "@multiverse/protocol/id";
import type { ResumePoint } from "@multiverse/protocol/socket";
import type { Guard } from "../guard/guard.ts";
import { refusalBody } from "../guard/knock.ts";
import { errorAnswer, notFound } from "../http-error.ts";
import { refuseRaw, unreadable } from "../refuse-raw.ts";
import type { Workspaces } from "../workspaces.ts";
import type { Sockets } from "./sockets.ts";

const BASE = "http://localhost";
const EVENTS = /^\/api\/v1\/workspaces\/([^/]+)\/events$/;

/** WebSocket upgrades: the same guard as every route, then the one address there is. */
export function createUpgrade(guard: Guard, workspaces: Workspaces, sockets: Sockets) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const asked = request.url ?? "/";
    // What is no address (`//`) must not end the process: this is reached before any token was seen.
    if (!URL.canParse(asked, BASE))
      return refuseRaw(socket, 400, unreadable("there is no such address"));
    const url = new URL(asked, BASE);
    const refusal = guard({
      method: request.method ?? "GET",
      path: url.pathname,
      header: (name) => allOf(request, name),
      isUpgrade: true,
    });
    if (refusal) return refuseRaw(socket, refusal.status, refusalBody(refusal));
    const id = EVENTS.exec(url.pathname)?.[1];
    const from = resumePoint(url.searchParams);
    const refuse = (error: unknown): void => {
      const { status, body } = errorAnswer(error);
      refuseRaw(socket, status, body);
    };
    if (id === undefined || idProblem(id)) return refuse(notFound("such stream of events"));
    if (from === undefined)
      return refuseRaw(socket, 400, unreadable("since is not the number of a fact"));
    workspaces
      .get(id)
      .then(
        ({ feed }) => sockets.accept(request, socket, head, { workspaceId: id, feed, from }),
        refuse,
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
function resumePoint(query: URLSearchParams): ResumePoint | null | undefined {
  const since = query.get("since") ?? "";
  if (since === "") return null;
  return /^\d{1,15}$/.test(since)
    ? { seq: Number(since), factId: query.get("fact") || null }
    : undefined;
}
