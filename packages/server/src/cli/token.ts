import { findServer } from "../client.ts";
import { newToken, readServerFile, writeServerFile } from "../server-file.ts";
import type { CliContext } from "./context.ts";

/** `multiverse token rotate`: the old token and every browser's cookie are worth nothing from now on. */
export async function rotateToken({ home, terminal }: CliContext): Promise<number> {
  const client = await findServer(home);
  if (client) await client.api.rotateToken();
  else {
    const file = await readServerFile(home);
    if (!file) {
      terminal.out("there is no token yet; the first start makes one\n");
      return 0;
    }
    await writeServerFile(home, { ...file, token: newToken() });
  }
  terminal.out("the token was changed; browsers have to sign in again\n");
  return 0;
}
