import type { Sandbox } from "@multiverse/agents/sandbox/sandbox";
import { MultiverseError } from "@multiverse/protocol/error";
import type { Env } from "../task-file/env-references.ts";

/** Docker is loaded only where a task really needs a container. */
export const dockerSandbox = (_env: Env): Sandbox => ({
  kind: "docker",
  start: () =>
    Promise.reject(
      new MultiverseError("DOCKER_UNAVAILABLE", "Docker cannot be used yet", {
        hint: "Use `kind: mock` for now.",
      }),
    ),
});
