import { randomBytes, randomUUID } from "node:crypto";
import type { NewId } from "@multiverse/protocol/clock";
import { currentTrace } from "./trace.ts";

/** Trace ids are UUIDs, since other tools read them, and follow whoever set the work going; the rest are short and new. */
export const newId: NewId = (prefix) =>
  prefix === "trace"
    ? (currentTrace() ?? randomUUID())
    : `${prefix}-${randomBytes(8).toString("hex")}`;
