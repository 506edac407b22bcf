import { MultiverseError } from "@multiverse/protocol/error";
import type { Client } from "../client.ts";

/** `--demo` promises that nothing real is asked: a server that works with real agents cannot keep that. */
export async function requireDemo(client: Client): Promise<void> {
  const { demo } = await client.api.doctor();
  if (demo) return;
  throw new MultiverseError("CONFLICT", "the server that is running works with real agents", {
    hint: "Stop it first, or leave --demo out.",
  });
}
