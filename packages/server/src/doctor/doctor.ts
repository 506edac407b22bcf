import { statfs } from "node:fs/promises";
import type { DoctorCheck, DoctorReport } from "@multiverse/protocol/http/responses";
import { pingDocker, type Environment } from "../environment.ts";
import { onPath } from "../on-path.ts";
import type { SettingsFiles } from "../settings.ts";
import type { Tools } from "../tools.ts";
import { probeImages } from "./probe-images.ts";
import { probeLimits } from "./probe-limits.ts";
import { probeSettings } from "./probe-settings.ts";

/** One thing looked at: what it is like, and what to do if that is not good enough. */
type Probe = () => Promise<DoctorCheck>;

export interface DoctorOptions {
  readonly environment: Environment;
  readonly home: string;
  readonly tools: Tools;
  readonly settings: SettingsFiles;
  readonly demo: () => boolean;
}

export function createDoctor(options: DoctorOptions): () => Promise<DoctorReport> {
  const { environment, home, tools, settings, demo } = options;
  const fixed: readonly Probe[] = [
    probeNode,
    () => probeDisk(home),
    () => probeDocker(environment),
    () => probeImages(environment),
    () => probeGit(environment),
    () => probeSettings(settings),
    () => probeLimits(settings),
  ];
  return async () => {
    const checks = await Promise.all(fixed.map((probe) => probe()));
    const tooling = (await tools.list()).map((tool): DoctorCheck => ({
      id: `tool:${tool.id}`,
      title: tool.id,
      status: tool.available ? "ok" : "missing",
      detail: tool.detail,
      hint: tool.hint,
    }));
    return { checks: [...checks, ...tooling], demo: demo() };
  };
}

async function probeNode(): Promise<DoctorCheck> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNewEnough = major > 20 || (major === 20 && minor >= 19);
  return {
    id: "node",
    title: "Node.js",
    status: isNewEnough ? "ok" : "missing",
    detail: process.versions.node,
    hint: isNewEnough ? "" : "Install Node 20.19 or newer.",
  };
}

const LOW_BYTES = 2 * 1_073_741_824;

async function probeDisk(home: string): Promise<DoctorCheck> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const isLow = free < LOW_BYTES;
  return {
    id: "disk",
    title: "Disk",
    status: isLow ? "warning" : "ok",
    detail: `${(free / 1_073_741_824).toFixed(1)} GiB free at ${home}`,
    hint: isLow ? "Free some space: images, logs and history need room." : "",
  };
}

async function probeDocker(environment: Environment): Promise<DoctorCheck> {
  const { ok, detail } = await pingDocker(environment);
  return {
    id: "docker",
    title: "Docker",
    status: ok ? "ok" : "missing",
    detail,
    hint: ok ? "" : "Install Docker and start it; coding CLIs run in containers.",
  };
}

async function probeGit({ path }: Environment): Promise<DoctorCheck> {
  const place = await onPath("git", path);
  return {
    id: "git",
    title: "Git",
    status: place ? "ok" : "warning",
    detail: place ?? "git is not on the PATH",
    hint: place ? "" : "Install git to see what tasks changed since the last commit.",
  };
}
