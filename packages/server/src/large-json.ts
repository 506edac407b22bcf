import { giveWay } from "@multiverse/orchestrator/store/give-way";
import type { TypedResponse } from "hono";
import { pack } from "./socket/pieces.ts";

/** The router knows an answer's type by a mark that exists for the compiler alone; text that is made already has none. */
type LargeJson = Response & TypedResponse<never, 200, "json">;

/**
 * An answer in JSON that is too large to be made in one turn: its text is put together piece by piece, and everyone else
 * has a turn after each.
 */
export async function largeJson(text: Iterable<Buffer>): Promise<LargeJson> {
  const pieces: Buffer[] = [];
  for (const piece of pack(text)) {
    pieces.push(piece);
    await giveWay();
  }
  const headers = { "content-type": "application/json" };
  return new Response(new Blob(pieces), { headers }) as LargeJson;
}
