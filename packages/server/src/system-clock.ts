import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, NewId } from "@multiverse/protocol/clock";

/** The real ones of the ports that tests replace. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal ? { signal } : {});
  },
};

/** Trace ids are UUIDs, since other tools read them; the rest only have to be short and new. */
export const newId: NewId = (prefix) =>
  prefix === "trace" ? randomUUID() : `${prefix}-${randomBytes(8).toString("hex")}`;
