import { randomBytes } from "node:crypto";
import { MultiverseError } from "@multiverse/protocol/error";
import { addressOf, removeContainer } from "../docker/container.ts";
import type { Engine } from "../docker/engine.ts";
import { createMemoryVolume, removeVolume } from "../docker/volume.ts";
import { containerLabels } from "./docker-config.ts";
import { watchEgress, type EgressLoss } from "./docker-egress-loss.ts";
import type { Pipes } from "./docker-pipes.ts";
import { runSidecar, startSidecar } from "./docker-sidecar.ts";
import type { SandboxReport, SandboxSpec } from "./sandbox.ts";

export interface EgressOptions {
  /** The bundled program that proxy and gateway run from. */
  readonly sidecarPath: string;
  /** Private addresses that an operator lets workers reach; no task file can. */
  readonly allowPrivateHosts: readonly string[];
}

export interface EgressParts extends EgressOptions {
  readonly image: string;
  readonly user: string;
  readonly owner: string;
  readonly unique: () => string;
  readonly pipes: Pipes | null;
}

/** The way out of a sandbox that may not reach everything. */
export interface Egress {
  /** The container network for the worker. */
  readonly networkMode: string;
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: { readonly baseUrl: string; readonly token: string } | null;
  readonly loss: EgressLoss;
  close(): Promise<void>;
}

const PROXY_PORT = 3_128;
const GATEWAY_PORT = 3_129;
const SHARED_DIR = "/run/multiverse-egress";
const PROXY_SOCKET = `${SHARED_DIR}/proxy`;
const GATEWAY_SOCKET = `${SHARED_DIR}/gateway`;

/**
 * `allowlist`: the worker's network is a loopback device and nothing else. What listens there (in a container of its own)
 * hands connections over a socket file to a proxy in another container, which alone can reach the outside. So there is no
 * gateway, no neighbour and no DNS to get at, on any version of Docker. The key gateway is reached the same way, or,
 * where the network is open anyway, by its address.
 */
export async function openEgress(
  engine: Engine,
  spec: SandboxSpec,
  options: EgressParts,
  signal: AbortSignal,
  report: SandboxReport,
): Promise<Egress | null> {
  const route = spec.gateway ? routeOf(spec) : null;
  if (route === null && spec.network !== "allowlist") return null;
  const { network, allowHosts } = spec;
  const containers: string[] = [];
  const volume = `multiverse-${options.unique()}`;
  const closing = new AbortController();
  const { loss, watch } = watchEgress(engine, closing.signal);
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.allSettled(containers.map((id) => removeContainer(engine, id)));
    await removeVolume(engine, volume);
  };
  try {
    const labels = containerLabels(spec, "egress", options.owner);
    await createMemoryVolume(engine, volume, options.user, labels);
    const parts = { ...options, engine, spec, volume, sharedDir: SHARED_DIR, signal };
    const egressId = await startSidecar(parts, "egress", "bridge");
    containers.push(egressId);
    const token = `mv-${randomBytes(24).toString("hex")}`;
    const allowPrivate = [...options.allowPrivateHosts];
    const listen = network === "default" ? GATEWAY_PORT : GATEWAY_SOCKET;
    const proxy = { socket: PROXY_SOCKET, allow: [...allowHosts], allowPrivate };
    const config = {
      ...(network === "allowlist" ? { proxy } : {}),
      ...(route === null ? {} : { gateway: { listen, ...route, token, allowPrivate } }),
    };
    const onRefused = (asked: string, why: string): void => report(refusal(asked, why));
    await runSidecar(parts, "egress", egressId, config, { onRefused, onEnded: watch(egressId) });
    if (network === "default") {
      const baseUrl = `http://${await addressOf(engine, egressId)}:${GATEWAY_PORT}`;
      return { networkMode: "bridge", env: {}, gateway: { baseUrl, token }, loss, close };
    }
    const relayId = await startSidecar(parts, "relay", "none");
    containers.push(relayId);
    const relays = relaysFor(network, route !== null);
    const listener = { onRefused: () => {}, onEnded: watch(relayId) };
    await runSidecar(parts, "relay", relayId, { relays }, listener);
    return {
      networkMode: `container:${relayId}`,
      env: network === "allowlist" ? PROXY_ENV : {},
      gateway: route === null ? null : { baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`, token },
      loss,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const relaysFor = (network: SandboxSpec["network"], hasGateway: boolean) => [
  ...(network === "allowlist" ? [{ port: PROXY_PORT, socket: PROXY_SOCKET }] : []),
  ...(hasGateway ? [{ port: GATEWAY_PORT, socket: GATEWAY_SOCKET }] : []),
];

/** A gateway that was asked for and cannot be had is an error: silently handing over the key would be the opposite. */
function routeOf({ gatewayRoute }: SandboxSpec) {
  if (gatewayRoute) return gatewayRoute;
  throw new MultiverseError(
    "SANDBOX_REFUSED",
    "runner.worker.gateway needs an API key in a variable, and a CLI that takes another address",
    {
      hint: "Set the CLI's key as a variable (for example ANTHROPIC_API_KEY), or remove `gateway: true` to use its login file.",
    },
  );
}

const refusal = (asked: string, why: string): Parameters<SandboxReport>[0] => ({
  type: "log",
  level: "warn",
  message: `connection refused: ${asked} (${why})`,
  fields: { host: asked, why },
});

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = "127.0.0.1,localhost";
const PROXY_ENV = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: DIRECT,
  no_proxy: DIRECT,
  NODE_USE_ENV_PROXY: "1",
};
