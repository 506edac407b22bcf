import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { Engine } from "../docker/engine.ts";
import type { SandboxSpec } from "./sandbox.ts";

export interface EgressOptions {
  /** The bundled program that proxy and gateway run from. */
  readonly sidecarPath: string;
  /** Private addresses that an operator lets workers reach; no task file can. */
  readonly allowPrivateHosts: readonly string[];
}

/** The way out of a sandbox that may not reach everything. */
export interface Egress {
  /** The container network for the worker. */
  readonly networkMode: string;
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: { readonly baseUrl: string; readonly token: string } | null;
  close(): Promise<void>;
}

export async function openEgress(
  _engine: Engine,
  _spec: SandboxSpec,
  _options: EgressOptions & { readonly image: string; readonly user: string },
  _signal: AbortSignal,
  _report: (event: RunEventOf<"container">) => void,
): Promise<Egress | null> {
  return null;
}
