import { join } from "node:path";
import { openPrivateFolder } from "./private-file.ts";

/** $MULTIVERSE_HOME: everything the product keeps about a user, readable by that user alone. */
export interface Home {
  readonly root: string;
  readonly config: string;
  readonly workspaces: string;
  readonly serverFile: string;
}

/** Its paths; nothing is looked at or made, so that `--help` works where nothing can be written. */
export const homeAt = (root: string): Home => ({
  root,
  config: join(root, "config"),
  workspaces: join(root, "workspaces"),
  serverFile: join(root, "server.json"),
});

export async function openHome(root: string): Promise<Home> {
  const home = homeAt(root);
  for (const folder of [home.root, home.config, home.workspaces]) await openPrivateFolder(folder);
  return home;
}
