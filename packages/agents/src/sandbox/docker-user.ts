import { statSync } from "node:fs";
import { dirname } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";

/** `uid:gid` for the container: the person's own, so that what it writes is theirs. Root works for the repo's owner. */
export function containerUser(repoPath: string): string {
  const uid = process.getuid?.() ?? 1_000;
  const gid = process.getgid?.() ?? 1_000;
  if (uid !== 0) return `${uid}:${gid}`;
  const owner = statSync(repoPath);
  return `${owner.uid}:${owner.gid}`;
}

/** Folders that hold everything a person has: a worker gets a project, never these. */
export function refuseWideRepo(repoPath: string, home: string): void {
  const wide = repoPath === "/" || repoPath === home || home.startsWith(`${repoPath}/`);
  if (!wide && !["/etc", "/var", "/usr", "/run", "/var/run", "/root", "/home"].includes(repoPath))
    return;
  throw new MultiverseError("SANDBOX_REFUSED", `${repoPath} is too wide to be given to a worker`, {
    hint: `Name the project's own folder (task.repo), not ${dirname(`${repoPath}/x`)}.`,
  });
}
