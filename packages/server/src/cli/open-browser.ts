import { spawnDetached } from "@multiverse/agents/detached";
import type { Environment } from "../environment.ts";
import { onPath } from "../on-path.ts";

const OPENERS = ["xdg-open", "open", "wslview"];

/** Shows an address in the person's browser, where there is one; the address was printed anyway. */
export async function openBrowser(
  url: string,
  { env, path, homeFolder }: Environment,
): Promise<void> {
  const hasScreen = process.platform !== "linux" || env["DISPLAY"] || env["WAYLAND_DISPLAY"];
  if (!hasScreen) return;
  for (const opener of OPENERS) {
    const command = await onPath(opener, path);
    if (command === null) continue;
    await spawnDetached(command, [url], { cwd: homeFolder, env }).catch(() => {});
    return;
  }
}
