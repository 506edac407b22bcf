import { MultiverseError } from "@multiverse/protocol/error";
import { requireServer } from "../client.ts";
import type { CliContext } from "./context.ts";
import { pickWorkspace, type WorkspaceFlags } from "./pick-workspace.ts";

export interface SnapshotFlags extends WorkspaceFlags {
  readonly json?: boolean;
  readonly force?: boolean;
}

/** `multiverse snapshot create|list|restore`. */
export async function snapshot(
  context: CliContext,
  action: "create" | "list" | "restore",
  id: string,
  flags: SnapshotFlags,
): Promise<number> {
  const { terminal } = context;
  const client = await requireServer(context.home);
  const workspace = await pickWorkspace(context, client, flags);
  const api = client.api.inWorkspace(workspace.id);
  switch (action) {
    case "create": {
      const made = await api.createSnapshot();
      terminal.out(flags.json ? `${JSON.stringify(made)}\n` : `${made.id} at ${made.seq}\n`);
      return 0;
    }
    case "list": {
      const list = await api.snapshots();
      if (flags.json) terminal.out(`${JSON.stringify(list)}\n`);
      else if (list.snapshots.length === 0) terminal.out("there are no snapshots yet\n");
      else
        for (const each of list.snapshots)
          terminal.out(`${each.id}  ${each.createdAt}  at ${each.seq}  ${each.bytes} bytes\n`);
      return 0;
    }
    case "restore":
      if (id === "")
        throw new MultiverseError("INVALID_INPUT", "which snapshot?", {
          hint: "`multiverse snapshot list` shows their ids.",
        });
      await api.restoreSnapshot(id, flags.force === true);
      terminal.out("restored\n");
      return 0;
  }
}
