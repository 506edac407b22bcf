import { MultiverseError } from "@multiverse/protocol/error";
import { expect, test } from "vitest";
import { createLogger, type LoggerOptions } from "./log.ts";
import { createMask } from "./secrets.ts";

function logging(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const logger = createLogger({
    level: "info",
    format: "text",
    write: (line) => lines.push(line),
    now: () => new Date("2026-01-02T03:04:05.678Z"),
    ...options,
  });
  return { logger, lines };
}

test("a text line has time, level, message, component, trace id and fields in snake_case", () => {
  const { logger, lines } = logging({ traceId: "abc" });
  logger
    .withComponent("runner")
    .info("starting task", { taskId: "T-1", title: "two words", durationMs: 5 });
  expect(lines).toEqual([
    '2026-01-02 03:04:05.678 INFO  starting task component=runner trace_id=abc task_id=T-1 title="two words" duration_ms=5\n',
  ]);
});

test("a JSON line has the same as an object", () => {
  const { logger, lines } = logging({ format: "json", traceId: "abc" });
  logger.withComponent("meta").warn("retry", { delaySeconds: 1 });
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    time: "2026-01-02T03:04:05.678Z",
    level: "WARN",
    message: "retry",
    component: "meta",
    trace_id: "abc",
    delay_seconds: 1,
  });
});

test("lines below the level are not written", () => {
  const { logger, lines } = logging({ level: "warn" });
  logger.debug("a");
  logger.info("b");
  logger.warn("c");
  logger.error("d");
  expect(lines.map((line) => line.trim().slice(-1))).toEqual(["c", "d"]);
});

test("no text can forge a second line or drive the terminal", () => {
  const { logger, lines } = logging();
  logger.info("one\ntwo\u001b[31m", { a: "x\ny", b: "\u001b[0m" });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("one\\u000atwo\\u001b[31m");
  expect(lines[0]?.trim()).not.toMatch(/[\p{Cc}]/u);
});

test("secrets are masked in messages, fields and errors", () => {
  const secret = "sk-canary-123456";
  for (const format of ["text", "json"] as const) {
    const { logger, lines } = logging({ format, mask: createMask([secret]) });
    logger.error(`message ${secret}`, {
      error: new Error(`cause ${secret}`),
      nested: { deep: [secret] },
    });
    expect(lines.join()).not.toContain(secret);
    expect(lines.join()).toContain("***");
  }
});

test("an error is written with its code and its chain of causes", () => {
  const { logger, lines } = logging({ format: "json" });
  const error = new MultiverseError("META_TIMEOUT", "too slow", {
    hint: "wait",
    cause: new Error("socket"),
  });
  logger.error("failed", { error });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    error: { code: "META_TIMEOUT", message: "too slow", cause: { message: "socket" } },
  });
});

test("values that JSON cannot hold do not break a line", () => {
  const { logger, lines } = logging({ format: "json" });
  const loop: Record<string, unknown> = { big: 10n, when: new Date(Number.NaN) };
  loop["self"] = loop;
  logger.info("odd", { loop });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    loop: { big: "10", when: null, self: "[…]" },
  });
});
