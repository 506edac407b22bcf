import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { AgentCli } from "./cli/agent-cli.ts";
import { CODING_CLIS } from "./cli/registry.ts";
import type { Engine } from "./docker/engine.ts";
import { EngineAnswer, imageMissing } from "./docker/errors.ts";
import { hasImage, progressIn, pullImage } from "./docker/image.ts";
import { tarOf } from "./docker/tar.ts";

export interface BuildOptions {
  readonly engine: Engine;
  /** The folder of the Dockerfiles that ship with the product. */
  readonly dockerfiles: string;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  /** Another base than the Dockerfile's own, e.g. a mirror's. */
  readonly baseImage?: string | undefined;
  /** The build's network; absent = Docker's default. */
  readonly networkMode?: string;
}

/** Builds a CLI's image from the Dockerfile that ships with the product; gives its name. */
export async function buildImage(cli: AgentCli, options: BuildOptions): Promise<string> {
  const { engine, signal, baseImage } = options;
  const image = `${cli.image}:latest`;
  const dockerfile = readDockerfile(cli, options.dockerfiles);
  const args = baseImage === undefined ? {} : { BASE_IMAGE: baseImage };
  const query = new URLSearchParams({
    t: image,
    forcerm: "1",
    buildargs: JSON.stringify(args),
    ...(options.networkMode === undefined ? {} : { networkmode: options.networkMode }),
  });
  let failure: string | null = null;
  const onLine = (line: string): void => {
    const { stream, status, error } = progressIn(line);
    if (error !== undefined) failure = error;
    const text = (stream ?? status ?? "").trimEnd();
    if (text !== "") options.onLine(text);
  };
  const body = Readable.from([tarOf({ Dockerfile: dockerfile })]);
  try {
    const headers = { "content-type": "application/x-tar" };
    await engine.lines(`/build?${query.toString()}`, {
      body,
      headers,
      onLine,
      signal,
      silenceMs: 600_000,
    });
  } catch (error) {
    if (!(error instanceof EngineAnswer)) throw error;
    failure = error.message;
  }
  if (failure !== null) throw buildFailed(image, failure);
  return image;
}

/**
 * Builds the images of the kinds that were named, or of all; one after the other, because they share layers. One that
 * fails does not keep the others from being built; the error names those that failed.
 */
export async function buildImages(
  kinds: readonly string[],
  options: BuildOptions,
): Promise<string[]> {
  const wanted = kinds.length === 0 ? CODING_CLIS : kinds.map(cliNamed);
  const built: string[] = [];
  const failed: MultiverseError[] = [];
  for (const cli of wanted) {
    try {
      built.push(await buildImage(cli, options));
    } catch (error) {
      if (!(error instanceof MultiverseError) || error.code !== "IMAGE_MISSING") throw error;
      options.onLine(error.message);
      failed.push(error);
    }
  }
  const [first] = failed;
  if (first === undefined) return built;
  if (wanted.length === 1) throw first;
  const why = failed.map(({ message }) => message).join("; ");
  const message = `${failed.length} of ${wanted.length} images could not be built: ${why}`;
  throw new MultiverseError("IMAGE_MISSING", message, { hint: first.hint });
}

function cliNamed(kind: string): AgentCli {
  const cli = CODING_CLIS.find((each) => [each.kind, each.command, each.image].includes(kind));
  if (cli) return cli;
  throw new MultiverseError("INVALID_INPUT", `there is no image for ${JSON.stringify(kind)}`, {
    hint: `Name one of ${CODING_CLIS.map((each) => each.kind).join(", ")}, or none to build all.`,
  });
}

function readDockerfile(cli: AgentCli, folder: string): string {
  const path = join(folder, `${cli.kind}.Dockerfile`);
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new MultiverseError("IMAGE_MISSING", `the Dockerfile ${path} is not there`, {
      hint: "Install the product again, or name an image of your own with runner.worker.docker_image.",
      cause,
    });
  }
}

const buildFailed = (image: string, why: string): MultiverseError =>
  new MultiverseError("IMAGE_MISSING", `${image} could not be built: ${why}`, {
    hint: "Read the build's output. Behind a mirror, name another base with --base-image or MULTIVERSE_BASE_IMAGE; without a network, load an image with `docker load` and name it with runner.worker.docker_image.",
  });

/** An image as a task needs it: here already, or pulled, or (one of ours) built. */
export async function ensureImage(
  image: string,
  options: Omit<BuildOptions, "onLine">,
  report: (event: RunEventOf<"container">) => void,
): Promise<void> {
  const { engine, signal } = options;
  if (await hasImage(engine, image)) return;
  report({ type: "container", phase: "pulling", image, message: "not here yet" });
  const why = await pullImage(engine, image, signal, report);
  if (why === null) return;
  const own = CODING_CLIS.find((cli) => image === cli.image || image === `${cli.image}:latest`);
  if (own === undefined) throw imageMissing(image, null, why);
  try {
    const onLine = (message: string): void =>
      report({ type: "container", phase: "pulling", image, message });
    onLine("cannot be pulled; building it from the Dockerfile that ships with the product");
    await buildImage(own, { ...options, onLine });
  } catch (error) {
    if (error instanceof MultiverseError && error.code === "IMAGE_MISSING") {
      throw imageMissing(image, own.kind, `${why}; ${error.message}`);
    }
    throw error;
  }
}
