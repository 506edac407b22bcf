import { createHash } from "node:crypto";

/** The folder name of a project's workspace: the first 12 hex digits of SHA-256 of the project's real path. */
export const workspaceIdOf = (realPath: string): string =>
  createHash("sha256").update(realPath).digest("hex").slice(0, 12);
