import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Sandbox } from "@multiverse/agents/sandbox/sandbox";
import type { Env } from "../task-file/env-references.ts";
import { homeOf } from "./cooldown-gate.ts";

/** Docker is loaded only where a task really needs a container. */
export const dockerSandbox = (env: Env): Sandbox => ({
  kind: "docker",
  async start(spec, signal, report) {
    const { createDockerSandbox } = await import("@multiverse/agents/sandbox/docker");
    const { ownerOf } = await import("@multiverse/agents/sandbox/docker-orphans");
    const { productRoot } = await import("@multiverse/agents/product-root");
    const root = productRoot();
    const sandbox = createDockerSandbox({
      hostEnv: env,
      home: homeOf(env),
      dockerfiles: join(root, "sandbox"),
      owner: ownerOf(process.pid),
      unique: () => randomUUID().slice(0, 8),
      sidecarPath: join(root, "dist", "sidecar.mjs"),
      allowPrivateHosts: listOf(env.MULTIVERSE_ALLOW_PRIVATE_HOSTS),
    });
    return sandbox.start(spec, signal, report);
  },
});

/** The operator's setting, which no task file can make. */
const listOf = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((host) => host.trim())
    .filter((host) => host !== "");
