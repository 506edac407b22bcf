import { basename } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { HOME_DIR, KEEPER, LOGIN_DIR, PROJECT_DIR, RUN_DIR } from "./docker-scripts.ts";
import type { BindMount } from "./docker-git-guard.ts";
import type { SandboxSpec } from "./sandbox.ts";

export interface ContainerParts {
  readonly spec: SandboxSpec;
  readonly image: string;
  readonly role: "worker" | "egress" | "relay";
  /** `uid:gid` of the person, so that files in the repo belong to them. */
  readonly user: string;
  /** Who is responsible for the container: a process that lives or not. */
  readonly owner: string;
  readonly networkMode: string;
  readonly mounts: readonly (BindMount | VolumeMount)[];
}

export interface VolumeMount {
  readonly Type: "volume";
  readonly Source: string;
  readonly Target: string;
  readonly ReadOnly: boolean;
}

export const LABEL = "io.multiverse";

/** Pure: everything about a container that can be seen from outside. Nothing secret may be in here. */
export function containerConfig({
  spec,
  image,
  role,
  user,
  owner,
  networkMode,
  mounts,
}: ContainerParts): object {
  const memory = bytesOf(spec.memory);
  const [uid, gid] = user.split(":");
  const own = `uid=${uid},gid=${gid},mode=0700`;
  return {
    Image: image,
    User: user,
    WorkingDir: role === "worker" ? PROJECT_DIR : "/",
    Entrypoint: ["sh", "-c", KEEPER],
    Cmd: [],
    Env: [`HOME=${HOME_DIR}`],
    Labels: containerLabels(spec, role, owner),
    StopTimeout: 1,
    HostConfig: {
      Init: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      PidsLimit: 512,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: Math.round(spec.cpus * 1e9),
      NetworkMode: networkMode,
      IpcMode: "private",
      Privileged: false,
      RestartPolicy: { Name: "no" },
      LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "1" } },
      Tmpfs: {
        "/tmp": "rw,exec,nosuid,nodev,size=1g,mode=1777",
        [HOME_DIR]: `rw,exec,nosuid,nodev,size=1g,${own}`,
        [RUN_DIR]: `rw,noexec,nosuid,nodev,size=16m,${own}`,
      },
      Mounts: mounts,
    },
  };
}

export const containerLabels = (
  spec: SandboxSpec,
  role: ContainerParts["role"],
  owner: string,
): Record<string, string> => ({
  [`${LABEL}.workspace`]: spec.workspaceId,
  [`${LABEL}.task`]: spec.taskId,
  [`${LABEL}.attempt`]: spec.attemptId,
  [`${LABEL}.epoch`]: String(spec.epoch),
  [`${LABEL}.owner`]: owner,
  [`${LABEL}.role`]: role,
});

export const projectMount = (repoPath: string): BindMount => ({
  Type: "bind",
  Source: repoPath,
  Target: PROJECT_DIR,
  ReadOnly: false,
});

export const loginMounts = (logins: SandboxSpec["logins"]): BindMount[] =>
  logins.map(({ source }, i) => ({
    Type: "bind",
    Source: source,
    Target: `${LOGIN_DIR}/${i}`,
    ReadOnly: true,
  }));

/** `agent-runner-<task>-<attempt>`, with what is not allowed in a name replaced; a second image gets its own. */
export function containerName(
  spec: SandboxSpec,
  role: ContainerParts["role"],
  unique: string,
): string {
  const image =
    basename(spec.image ?? "")
      .replace(/^agent-runner-/, "")
      .split(":")[0] ?? "";
  const parts = [
    "agent-runner",
    spec.taskId,
    spec.attemptId,
    image,
    role === "worker" ? "" : role,
    unique,
  ];
  return parts
    .filter((part) => part !== "")
    .map((part) => part.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 80))
    .join("-");
}

const SIZE = /^(\d+(?:\.\d+)?)([bkmg]?)$/i;
const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1_024,
  m: 1_048_576,
  g: 1_073_741_824,
};

export function bytesOf(size: string): number {
  const [, amount, unit = ""] = SIZE.exec(size.trim()) ?? [];
  const bytes = Math.round(Number(amount) * (UNITS[unit.toLowerCase()] ?? Number.NaN));
  if (bytes >= 6 * 1_048_576) return bytes;
  throw new MultiverseError(
    "INVALID_INPUT",
    `runner.worker.memory ${JSON.stringify(size)} is not a usable size`,
    {
      hint: "Write a size such as 512m or 4g; the least Docker takes is 6m.",
    },
  );
}
