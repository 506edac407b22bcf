import { existsSync } from "node:fs";
import { join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";

/** Where the Docker engine listens: `DOCKER_HOST` if it says so, else the usual places. */
export function dockerSocket(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const { DOCKER_HOST: host, XDG_RUNTIME_DIR: runtime } = env;
  if (host) {
    if (host.startsWith("unix://")) return host.slice("unix://".length);
    throw new MultiverseError(
      "DOCKER_UNAVAILABLE",
      `DOCKER_HOST is ${JSON.stringify(host)}, which is not a local socket`,
      {
        hint: "Set DOCKER_HOST to unix:///path/to/docker.sock, or unset it. A remote engine cannot see this machine's files.",
      },
    );
  }
  const standard = "/var/run/docker.sock";
  const candidates = [
    standard,
    ...(runtime ? [join(runtime, "docker.sock")] : []),
    join(home, ".docker/run/docker.sock"),
  ];
  return candidates.find((path) => existsSync(path)) ?? standard;
}
