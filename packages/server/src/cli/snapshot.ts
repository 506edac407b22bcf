import { Done, SnapshotList } from "@multiverse/protocol/http/responses";
import { z } from "zod";
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
  const path = `/workspaces/${workspace.id}/snapshots`;
  switch (action) {
    case "create": {
      const made = await client.send("POST", path, {}, z.object({ id: z.string(), seq: z.int() }));
      terminal.out(flags.json ? `${JSON.stringify(made)}\n` : `${made.id} at ${made.seq}\n`);
      return 0;
    }
    case "list": {
      const list = await client.get(path, SnapshotList);
      if (flags.json) terminal.out(`${JSON.stringify(list)}\n`);
      else
        for (const each of list.snapshots)
          terminal.out(`${each.id}  ${each.createdAt}  at ${each.seq}  ${each.bytes} bytes\n`);
      return 0;
    }
    case "restore":
      await client.send(
        "POST",
        `${path}/${encodeURIComponent(id)}/restore`,
        { force: flags.force === true },
        Done,
      );
      terminal.out("restored\n");
      return 0;
  }
}
