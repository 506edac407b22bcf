import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";

/** What the engine answered, when it was not what was asked for. */
export class EngineAnswer extends Error {
  override readonly name = "EngineAnswer";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const START_DOCKER =
  "Start Docker (`systemctl start docker`, or Docker Desktop), or use the demo agent (runner.worker.kind: mock), which needs none.";

export function daemonDown(cause: unknown): MultiverseError {
  const code = systemCode(cause);
  if (code === "EACCES" || code === "EPERM") {
    return new MultiverseError(
      "DOCKER_UNAVAILABLE",
      "the Docker socket may not be opened by this user",
      {
        hint: "Add yourself to the group `docker` (`sudo usermod -aG docker $USER`) and log in again, or use rootless Docker.",
        cause,
      },
    );
  }
  return new MultiverseError(
    "DOCKER_UNAVAILABLE",
    `Docker is not running${code ? ` (${code})` : ""}`,
    {
      hint: START_DOCKER,
      retryable: true,
      cause,
    },
  );
}

export const noAnswer = (what: string, ms: number): MultiverseError =>
  new MultiverseError(
    "DOCKER_UNAVAILABLE",
    `Docker did not answer within ${Math.round(ms / 1_000)} s (${what})`,
    {
      hint: `The engine may be overloaded or stuck; restart it. ${START_DOCKER}`,
      retryable: true,
    },
  );

export function imageMissing(image: string, kind: string | null, why: string): MultiverseError {
  const build =
    kind === null ? "build or pull it yourself" : `run \`multiverse images build ${kind}\``;
  return new MultiverseError(
    "IMAGE_MISSING",
    `the image ${image} is not here and could not be pulled: ${why}`,
    {
      hint: `Check the network and the name (runner.worker.docker_image), or ${build}.`,
    },
  );
}

export const startFailed = (image: string, cause: unknown): MultiverseError =>
  new MultiverseError(
    "SANDBOX_FAILED",
    `a container of ${image} could not be started: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      hint: "Read the reason above; often the image is broken (build it anew) or a limit is too small.",
      cause,
    },
  );

export const canceled = (): MultiverseError =>
  new MultiverseError("CANCELED", "the run was canceled", {
    hint: "Run the task again when you want it to go on.",
  });
