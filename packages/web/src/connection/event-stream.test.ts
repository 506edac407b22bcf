import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openEventStream, type LinkStatus, type SocketLike } from "./event-stream.ts";

class FakeSocket implements SocketLike {
  onopen: SocketLike["onopen"] = null;
  onmessage: SocketLike["onmessage"] = null;
  onclose: SocketLike["onclose"] = null;
  closed = false;
  readonly since: number;
  constructor(since: number) {
    this.since = since;
  }
  close(): void {
    this.closed = true;
  }
}

function connect() {
  const sockets: FakeSocket[] = [];
  const statuses: LinkStatus[] = [];
  const messages: unknown[] = [];
  let seq = 0;
  const stream = openEventStream({
    from: () => ({ seq, factId: `act-${seq}` }),
    open: (from) => {
      const socket = new FakeSocket(from.seq);
      sockets.push(socket);
      return socket;
    },
    onMessage: (message) => messages.push(message),
    onStatus: (status) => statuses.push(status),
    random: () => 0.5,
  });
  return {
    stream,
    sockets,
    statuses,
    messages,
    advanceTo: (n: number) => (seq = n),
    last: () => sockets.at(-1) as FakeSocket,
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const opened = new Event("open");
const closed = new Event("close") as CloseEvent;
const said = (data: string) => new MessageEvent("message", { data });

describe("the stream of events", () => {
  test("reconnects after a loss and goes on from its own seq", () => {
    const t = connect();
    t.last().onopen?.(opened);
    t.advanceTo(42);
    t.last().onclose?.(closed);
    vi.advanceTimersByTime(300);
    expect(t.sockets.map((s) => s.since)).toEqual([0, 42]);
    t.last().onopen?.(opened);
    expect(t.statuses).toEqual(["connecting", "live", "lost", "live"]);
  });

  test("waits longer after each failure, five seconds at most", () => {
    const t = connect();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const before = t.sockets.length;
      t.last().onclose?.(closed);
      let waited = 0;
      while (t.sockets.length === before) {
        vi.advanceTimersByTime(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  test("asks again at once when told to resync, and hears nothing more from the old connection", () => {
    const t = connect();
    const old = t.last();
    t.stream.resync();
    old.onmessage?.(said('{"seq":1,"facts":[]}'));
    old.onclose?.(closed);
    expect([t.sockets.length, t.messages.length, old.closed]).toEqual([2, 0, true]);
  });

  test("stops for good when it is closed", () => {
    const t = connect();
    t.stream.close();
    t.last().onclose?.(closed);
    vi.advanceTimersByTime(60_000);
    expect(t.sockets.length).toBe(1);
  });
});
