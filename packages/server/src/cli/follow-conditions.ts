import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import type { Client } from "../client.ts";

export interface ConditionsFollower {
  /** Null until the server has told. */
  readonly current: Conditions | null;
  hear(state: WorkspaceState): void;
}

/** What decides beside the plan about starts, asked of the server again when what runs has changed. */
export function followConditions(client: Client, workspaceId: string): ConditionsFollower {
  let current: Conditions | null = null;
  let seen: WorkspaceState["index"]["running"] | null = null;
  let isAsking = false;

  async function ask(running: WorkspaceState["index"]["running"]): Promise<void> {
    isAsking = true;
    seen = running;
    try {
      current = (await client.api.inWorkspace(workspaceId).pools()).conditions;
    } catch {
      // Only an explanation is lost; whoever watches hears of a lost server elsewhere.
    } finally {
      isAsking = false;
    }
  }

  return {
    get current() {
      return current;
    },
    hear({ index }) {
      if (index.running !== seen && index.runnable.size > 0 && !isAsking) void ask(index.running);
    },
  };
}
