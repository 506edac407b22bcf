import { apply } from "@multiverse/protocol/apply/apply";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import { loadState } from "@multiverse/protocol/saved-state";
import type { Signal } from "@multiverse/protocol/signal";
import { eventsPath, type SocketMessage } from "@multiverse/protocol/socket";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { WebSocket } from "ws";
import type { Client } from "../client.ts";

export interface Watching {
  /** Settles with a reason when the server has gone and does not come back. */
  readonly gone: Promise<string>;
  stop(): void;
}

const TRIES = 20;
const RETRY_MS = 250;

/** Follows a workspace as the browser does: the same facts, the same `apply`, and back again after a lost connection. */
export function watchWorkspace(
  { url, token }: Client,
  workspaceId: string,
  hear: { state(state: WorkspaceState): void; signal(signal: Signal): void },
): Watching {
  let state: WorkspaceState | null = null;
  let socket: WebSocket | null = null;
  let stopped = false;
  let failures = 0;
  let leave: (why: string) => void = () => {};
  const gone = new Promise<string>((resolve) => (leave = resolve));

  function take(message: SocketMessage): void {
    if ("signal" in message) return hear.signal(message);
    if ("resync" in message) return;
    state =
      "state" in message
        ? loadState(message.state)
        : apply(state ?? emptyState, message.facts.map(factFromWire));
    hear.state(state);
  }

  function connect(): void {
    const address = `${url.replace(/^http/, "ws")}/api/v1${eventsPath(workspaceId, state)}`;
    socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
    socket.on("open", () => (failures = 0));
    socket.on("message", (data: Buffer) =>
      take(JSON.parse(data.toString("utf8")) as SocketMessage),
    );
    socket.on("error", () => {});
    socket.on("close", (_, reason: Buffer) => {
      if (stopped) return;
      failures += 1;
      if (failures > TRIES) leave(reason.toString("utf8") || "the server does not answer");
      else setTimeout(connect, RETRY_MS);
    });
  }

  connect();
  return {
    gone,
    stop() {
      stopped = true;
      socket?.close();
    },
  };
}
