import type { ResumePoint, SocketMessage } from "@multiverse/protocol/socket";
import { reconnectDelay } from "./backoff.ts";

export type LinkStatus = "connecting" | "live" | "lost";

/** The part of a WebSocket that is used; tests bring their own. */
export interface SocketLike {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  close(): void;
}

export interface EventStreamOptions {
  /** Where to go on from; asked anew for each connection. */
  readonly from: () => ResumePoint;
  readonly open: (from: ResumePoint) => SocketLike;
  readonly onMessage: (message: SocketMessage) => void;
  readonly onStatus: (status: LinkStatus, retryAt: number | null) => void;
  readonly random: () => number;
}

export interface EventStream {
  /** Connect at once instead of waiting for the next try. */
  readonly retryNow: () => void;
  /** Drop the connection and ask again from our own seq. */
  readonly resync: () => void;
  readonly close: () => void;
}

/** Keeps a connection to the workspace's events: it reconnects for ever and resumes where the state stands. */
export function openEventStream(options: EventStreamOptions): EventStream {
  let socket: SocketLike | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tries = 0;
  let closed = false;

  function connect(): void {
    clearTimeout(timer);
    const mine = options.open(options.from());
    socket = mine;
    mine.onopen = () => {
      tries = 0;
      options.onStatus("live", null);
    };
    mine.onmessage = (event) => {
      if (mine === socket && typeof event.data === "string")
        options.onMessage(JSON.parse(event.data) as SocketMessage);
    };
    mine.onclose = () => {
      if (mine === socket) schedule();
    };
  }

  function schedule(): void {
    socket = null;
    if (closed) return;
    const delay = reconnectDelay(tries, options.random);
    tries += 1;
    options.onStatus("lost", Date.now() + delay);
    timer = setTimeout(connect, delay);
  }

  function replace(): void {
    if (closed) return;
    const old = socket;
    socket = null;
    old?.close();
    connect();
  }

  options.onStatus("connecting", null);
  connect();
  return {
    retryNow: () => {
      if (socket === null) replace();
    },
    resync: replace,
    close: () => {
      closed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
