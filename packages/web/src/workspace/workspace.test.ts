import { factToWire } from "@multiverse/protocol/fact-wire";
import { saveState } from "@multiverse/protocol/saved-state";
import { flushSync } from "svelte";
import { describe, expect, test } from "vitest";
import { createApi } from "@multiverse/protocol/http/api";
import type { SocketLike } from "../connection/event-stream.ts";
import { after, planState, stamp } from "../testing/plan-fixture.ts";
import { Workspace } from "./workspace.svelte.ts";

/** A workspace on a server that answers with `state`, with frames that come when the test says so. */
function openOn(start: ReturnType<typeof planState>) {
  const server = { state: start, fetched: 0 };
  const frames: (() => void)[] = [];
  const sockets: { since: number; socket: SocketLike }[] = [];
  const api = createApi((_method, _path, answer) => {
    server.fetched += 1;
    return Promise.resolve(answer.parse({ seq: server.state.seq, state: saveState(server.state) }));
  });
  const workspace = new Workspace({
    id: "0123456789ab",
    api: api.inWorkspace("0123456789ab"),
    openSocket: ({ seq: since }) => {
      const socket = { onopen: null, onmessage: null, onclose: null, close: () => {} };
      sockets.push({ since, socket });
      return socket;
    },
    schedule: (flush) => frames.push(flush),
    random: () => 0.5,
  });
  const frame = () => {
    for (const flush of frames.splice(0)) flush();
    flushSync();
  };
  return { workspace, server, frame, frames, sockets };
}

const rename = (title: string) =>
  [{ kind: "node.updated", payload: { nodeId: "a", changes: { title } } }] as const;

describe("the store", () => {
  test("applies facts once a frame, however many come", async () => {
    const { workspace, frame, frames, server } = openOn(planState([{ id: "a" }]));
    await workspace.open();
    let state = server.state;
    for (let i = 0; i < 50; i++) {
      const facts = stamp(state, rename(`title ${i}`));
      state = after(state, rename(`title ${i}`));
      workspace.receive({ seq: state.seq, facts: facts.map(factToWire) });
    }
    expect(frames.length).toBe(1);
    frame();
    expect(workspace.plan.cards.get("a")?.title).toBe("title 49");
    expect(workspace.state).toEqual(state);
  });

  test("facts it has already are not applied twice", async () => {
    const { workspace, frame, server } = openOn(planState([{ id: "a" }]));
    await workspace.open();
    const facts = stamp(server.state, rename("new")).map(factToWire);
    const seq = server.state.seq + 1;
    workspace.receive({ seq, facts });
    workspace.receive({ seq, facts });
    frame();
    expect(workspace.state.seq).toBe(seq);
  });

  test("a gap makes it fetch the state anew", async () => {
    const { workspace, frame, server } = openOn(planState([{ id: "a" }]));
    await workspace.open();
    const later = after(server.state, rename("one"));
    const latest = after(later, rename("two"));
    const facts = stamp(later, rename("two")).map(factToWire);
    server.state = latest;
    workspace.receive({ seq: latest.seq, facts });
    frame();
    await Promise.resolve();
    await expect.poll(() => workspace.plan.cards.get("a")?.title).toBe("two");
    expect(server.fetched).toBe(2);
  });

  test("resync reconnects from what it has", async () => {
    const { workspace, sockets, server } = openOn(planState([{ id: "a" }]));
    await workspace.open();
    workspace.receive({ resync: true, reason: "too slow" });
    expect(sockets.map((s) => s.since)).toEqual([server.state.seq, server.state.seq]);
  });

  test("the state that the server sends is taken, also when a repair left it a shorter past", async () => {
    const past = planState([{ id: "a", title: "of the other past" }]);
    const { workspace, frame } = openOn(after(after(past, rename("one")), rename("two")));
    await workspace.open();
    workspace.receive({ seq: past.seq, state: saveState(past) });
    frame();
    expect(workspace.state).toEqual(past);
  });

  test("log lines count without touching the state", async () => {
    const { workspace, frame } = openOn(planState([{ id: "a" }]));
    await workspace.open();
    const before = workspace.state;
    for (let i = 0; i < 100; i++)
      workspace.receive({
        signal: "task:log",
        data: { taskId: "a", attemptId: "x", stream: "stdout", line: `l${i}`, timestamp: "" },
      });
    frame();
    expect(workspace.logs.lines("a").length).toBe(100);
    expect([workspace.logVersion, workspace.state === before]).toEqual([1, true]);
  });

  test("looking back shows the past and leaves the present alone", async () => {
    const { workspace, server, frame } = openOn(planState([{ id: "a", title: "then" }]));
    await workspace.open();
    const now = after(server.state, rename("now"));
    workspace.receive({ seq: now.seq, facts: stamp(server.state, rename("now")).map(factToWire) });
    frame();
    await workspace.lookBack(server.state.seq);
    expect(workspace.plan.cards.get("a")?.title).toBe("then");
    expect(workspace.state.nodes.get("a")?.title).toBe("now");
    await workspace.lookBack(now.seq);
    expect(workspace.past).toBeNull();
  });
});
