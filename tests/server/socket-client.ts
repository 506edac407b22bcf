import { apply } from "@multiverse/protocol/apply/apply";
import type { FactWire } from "@multiverse/protocol/fact";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import { canonicalJson, loadState, saveState } from "@multiverse/protocol/saved-state";
import type { Signal } from "@multiverse/protocol/signal";
import { eventsPath, type ResumePoint, type SocketMessage } from "@multiverse/protocol/socket";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { WebSocket } from "ws";
import type { TestServer } from "./test-server.ts";

/** A client as the browser is one: it keeps a state of its own and comes back with the seq it has. */
export class SocketClient {
  state: WorkspaceState | null = null;
  readonly signals: Signal[] = [];
  resyncs = 0;
  /** Gaps or repeats in the stream of facts; there must be none. */
  disorder: string[] = [];
  onFacts: (facts: readonly FactWire[]) => void = () => {};
  private socket: WebSocket | null = null;
  private readonly server: TestServer;

  constructor(server: TestServer) {
    this.server = server;
  }

  get seq(): number | null {
    return this.state?.seq ?? null;
  }

  text(): string {
    return this.state ? canonicalJson(saveState(this.state)) : "";
  }

  async connect(from: ResumePoint | null = this.state): Promise<void> {
    const { url, open } = this.server;
    const address = `${url.replace("http", "ws")}/api/v1${eventsPath(open.workspace.id, from)}`;
    const socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${this.server.token}` },
    });
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      if (this.socket === socket) this.hear(JSON.parse(data.toString("utf8")) as SocketMessage);
    });
    await new Promise<void>((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("error", reject);
    });
    socket.on("error", () => {});
  }

  /** Cuts the connection without a goodbye; what is on its way is lost. */
  cut(): void {
    this.socket?.terminate();
    this.socket = null;
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  closed(): Promise<{ code: number; reason: string }> {
    return new Promise((resolve) =>
      this.socket?.on("close", (code, reason: Buffer) =>
        resolve({ code, reason: reason.toString("utf8") }),
      ),
    );
  }

  private hear(message: SocketMessage): void {
    if ("facts" in message) {
      const first = message.facts[0]?.seq ?? 0;
      if (first !== (this.seq ?? 0) + 1) this.disorder.push(`${this.seq} then ${first}`);
      this.state = apply(this.state ?? emptyState, message.facts.map(factFromWire));
      this.onFacts(message.facts);
    } else if ("state" in message) this.state = loadState(message.state);
    else if ("resync" in message) this.resyncs += 1;
    else this.signals.push(message);
  }
}
