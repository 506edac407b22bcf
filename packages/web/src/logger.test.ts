import { expect, test } from "vitest";
import { Logger, type LogEntry } from "./logger.ts";

function record() {
  const entries: LogEntry[] = [];
  const log = new Logger({ level: "info", traceId: null, write: (entry) => entries.push(entry) });
  return { log, entries };
}

test("says nothing below its level, and components share it", () => {
  const { log, entries } = record();
  const part = log.withComponent("socket");
  part.debug("hidden");
  log.setLevel("debug");
  part.debug("shown", { seq: 4 });
  expect(entries).toEqual([
    { level: "debug", component: "socket", traceId: null, message: "shown", fields: { seq: 4 } },
  ]);
});

test("the trace goes with every entry once it is set", () => {
  const { log, entries } = record();
  log.withComponent("a").info("before");
  log.setTraceId("trace-1");
  log.withComponent("b").warn("after");
  expect(entries.map((entry) => entry.traceId)).toEqual([null, "trace-1"]);
});
