import { spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cliOf } from "@multiverse/agents/cli/registry";
import { connectEngine } from "@multiverse/agents/docker/engine";
import { hasImage } from "@multiverse/agents/docker/image";
import { buildImage } from "@multiverse/agents/images";
import { root } from "../../scripts/paths.mjs";
import { callDocker } from "../harness/docker-api.ts";
import { baseImage, type DockerEngine } from "../harness/docker.ts";

/** The base image with this machine's Node and npm: what `node:22-bookworm-slim` is for people. */
export const nodeImage = "multiverse-node:bookworm";

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** The images of these CLIs, built by the product from its own Dockerfiles unless they are there. */
export async function ensureCliImages(
  docker: DockerEngine,
  kinds: readonly string[],
): Promise<void> {
  await oneAtATime(async () => {
    await ensureNodeImage(docker);
    const engine = connectEngine(docker.socket);
    for (const cli of kinds.map((kind) => cliOf(kind))) {
      if (cli === undefined) throw new Error("no such CLI");
      if (await hasImage(engine, cli.image)) continue;
      console.log(`building… ${cli.image} (about a minute)`);
      const said: string[] = [];
      await buildImage(cli, {
        engine,
        dockerfiles: join(root, "sandbox"),
        signal: new AbortController().signal,
        onLine: (line) => void said.push(line),
        baseImage: nodeImage,
        networkMode: "host",
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${said.slice(-30).join("\n")}`);
      });
    }
    engine.close();
  });
}

export async function ensureNodeImage({ socket }: DockerEngine): Promise<void> {
  const found = await callDocker(socket, "GET", `/images/${nodeImage}/json`);
  if (found.status === 200) return;
  const context = mkdtempSync(join(tmpdir(), "node-image-"));
  try {
    copyFileSync(process.execPath, join(context, "node"));
    cpSync(npmFolder(), join(context, "npm"), { recursive: true });
    if (existsSync(certificates)) copyFileSync(certificates, join(context, "ca.crt"));
    else writeFileSync(join(context, "ca.crt"), "");
    writeFileSync(join(context, "Dockerfile"), dockerfile);
    const tar = spawn("tar", ["-c", "-C", context, "."], { stdio: ["ignore", "pipe", "inherit"] });
    const built = await callDocker(socket, "POST", `/build?t=${nodeImage}&forcerm=1`, tar.stdout);
    const text = built.body.toString();
    if (built.status !== 200 || text.includes('"error"'))
      throw new Error(`no ${nodeImage}: ${text}`);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

// A registry on the way to the outside may sign with an authority only this machine knows.
const dockerfile = `FROM ${baseImage}
COPY ca.crt ${certificates}
COPY npm /usr/lib/node_modules/npm
COPY node /usr/bin/node
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm
ENV NODE_EXTRA_CA_CERTS=${certificates}
`;

function npmFolder(): string {
  const node = dirname(dirname(process.execPath));
  const folder = join(node, "lib/node_modules/npm");
  if (!existsSync(folder)) throw new Error(`npm is not beside ${process.execPath}`);
  return folder;
}

const lock = join(root, ".cache/images.lock");

/** Test files run side by side, and building the same image twice would only take twice as long. */
async function oneAtATime(act: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true });
  const deadline = Date.now() + 9 * 60_000;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (Date.now() > deadline) rmSync(lock, { recursive: true, force: true });
      await sleep(200);
    }
  }
  try {
    await act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
