import type { Signal } from "@multiverse/protocol/signal";
import { expect, test } from "vitest";
import { giveWay } from "../store/give-way.ts";
import { Herald } from "./herald.ts";

const created = (taskId: string): Signal => ({
  signal: "task:created",
  data: { taskId, title: taskId, timestamp: "2026-01-01T00:00:00.000Z" },
});

function heard() {
  const told: string[] = [];
  const herald = new Herald((signal) => {
    if (signal.signal === "task:created") told.push(signal.data.taskId);
  });
  return { told, herald };
}

test("the signals of a small commit are told before announcing returns", () => {
  const { told, herald } = heard();
  herald.announce([created("a"), created("b")].values());
  expect(told).toEqual(["a", "b"]);
});

test("others have a turn in between, and a later commit is told after an earlier one", async () => {
  const { told, herald } = heard();
  herald.announce([created("a"), undefined, created("b"), undefined].values());
  herald.announce([created("c")].values());
  expect(told).toEqual(["a"]);
  await giveWay();
  expect(told).toEqual(["a", "b"]);
  await giveWay();
  expect(told).toEqual(["a", "b", "c"]);
  herald.announce([created("d")].values());
  expect(told.at(-1)).toBe("d");
});
