import { MultiverseError } from "@multiverse/protocol/error";

/** The version of everything under workspaces/<id>/. 0 is the earlier implementation, which wrote no number. */
export const SCHEMA_VERSION = 1;

export const tooNew = (what: string): MultiverseError =>
  new MultiverseError(
    "WORKSPACE_TOO_NEW",
    `This workspace was written by a newer version: ${what}.`,
    {
      hint: "Update Multiverse, or open it with the version that wrote it. Nothing was changed.",
    },
  );
