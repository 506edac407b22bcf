import { spawn } from "node:child_process";
import { once } from "node:events";
import { callDocker } from "./docker-api.ts";
import { baseImage, hasBaseImage, type DockerEngine } from "./docker.ts";

// git for agents that look at changes, libstdc++ for a mounted Node, procps to see what runs.
const packages = ["ca-certificates", "git", "libstdc++6", "procps"];

/** Makes the base image from Debian's packages, unless the engine has it already. It needs root and mmdebstrap. */
export async function ensureBaseImage(engine: DockerEngine): Promise<void> {
  if (await hasBaseImage(engine)) return;
  console.log(`building… ${baseImage} (about half a minute)`);
  const options = ["--quiet", "--variant=minbase", `--include=${packages.join(",")}`];
  const leaveOut = ["doc", "info", "locale", "man"].map(
    (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
  );
  const debian = spawn("mmdebstrap", [...options, ...leaveOut, "--format=tar", "bookworm", "-"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(debian, "close");
  const [repo, tag] = baseImage.split(":");
  const path = `/images/create?fromSrc=-&repo=${repo}&tag=${tag}`;
  const { status, body } = await callDocker(engine.socket, "POST", path, debian.stdout);
  const [code] = (await ended) as [number | null];
  if (code !== 0 || status !== 200) {
    throw new Error(
      `${baseImage} was not made: mmdebstrap ended with ${code}, Docker said ${body.toString()}`,
    );
  }
}
