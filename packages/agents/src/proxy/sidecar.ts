import { once } from "node:events";
import type { Server } from "node:net";
import { createGateway } from "../gateway/gateway.ts";
import { createForwardProxy } from "./forward-proxy.ts";
import { createRelay } from "./relay.ts";
import { SidecarConfig, type SidecarLine } from "./sidecar-config.ts";

/** The program of the side-car containers: a proxy, a gateway, relays; whatever its input asks for. */
async function main(): Promise<void> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  const config = SidecarConfig.parse(JSON.parse(text));
  const onRefused = createRefusals();
  if (config.proxy) {
    const { socket, ...rules } = config.proxy;
    await listen(createForwardProxy({ rules, onRefused }), { path: socket });
  }
  if (config.gateway) {
    const { listen: place, ...rest } = config.gateway;
    const where = typeof place === "string" ? { path: place } : { port: place, host: "0.0.0.0" };
    await listen(createGateway({ ...rest, onRefused }), where);
  }
  for (const { port, socket } of config.relays) {
    await listen(createRelay(socket), { port, host: "127.0.0.1" });
  }
  say({ event: "ready" });
}

async function listen(
  server: Server,
  where: { path: string } | { port: number; host: string },
): Promise<void> {
  server.listen(where);
  await once(server, "listening");
}

const say = (line: SidecarLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const MOST_REFUSALS = 1_000;

/** Each refused host is told once: a worker that tries again and again has nothing new to say. */
function createRefusals(): (asked: string, why: string) => void {
  const told = new Set<string>();
  return (asked, why) => {
    const shown = asked.replace(/[^\x20-\x7e]/g, "?").slice(0, 300);
    if (told.has(shown) || told.size >= MOST_REFUSALS) return;
    told.add(shown);
    say({ event: "refused", asked: shown, why });
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`side-car: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
