import { randomBytes, randomUUID } from "node:crypto";
import type { NewId } from "@multiverse/protocol/clock";

/** Trace ids are UUIDs, since other tools read them; the rest only have to be short and new. */
export const newId: NewId = (prefix) =>
  prefix === "trace" ? randomUUID() : `${prefix}-${randomBytes(8).toString("hex")}`;
