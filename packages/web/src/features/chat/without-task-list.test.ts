import { expect, test } from "vitest";
import { withoutTaskList } from "./without-task-list.ts";

const reply = "A small app.\n\n**Created**\n- Store\n- Page\n\n**Updated**\n- Docs";

test("the list of the new tasks and its heading go, the rest stays", () => {
  expect(withoutTaskList(reply, ["Store", "Page"])).toBe("A small app.\n\n**Updated**\n- Docs");
  expect(withoutTaskList("Yes.\n\n**作成**\n- Store", ["Store"])).toBe("Yes.");
});

test.each([
  ["in another order", ["Page", "Store"]],
  ["with a title that is not in it", ["Store", "Server"]],
  ["that goes on", ["Store"]],
  ["of nothing", []],
])("a list %s is left alone", (_, titles) => {
  expect(withoutTaskList(reply, titles)).toBe(reply);
});

test("a list without a heading is somebody's words", () => {
  expect(withoutTaskList("Think of\n- Store", ["Store"])).toBe("Think of\n- Store");
});
