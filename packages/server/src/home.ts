import { join } from "node:path";
import { openPrivateFolder } from "./private-file.ts";

/** $MULTIVERSE_HOME: everything the product keeps about a user, readable by that user alone. */
export interface Home {
  readonly root: string;
  readonly config: string;
  readonly workspaces: string;
  readonly serverFile: string;
}

export async function openHome(root: string): Promise<Home> {
  const home: Home = {
    root,
    config: join(root, "config"),
    workspaces: join(root, "workspaces"),
    serverFile: join(root, "server.json"),
  };
  for (const folder of [home.root, home.config, home.workspaces]) await openPrivateFolder(folder);
  return home;
}
