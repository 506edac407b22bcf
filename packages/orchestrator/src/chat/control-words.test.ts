import { expect, test } from "vitest";
import { readControl } from "./control-words.ts";

test.each([
  ["止めて", "stop"],
  ["停止", "stop"],
  ["stop", "stop"],
  ["Stop!", "stop"],
  ["  STOP  ", "stop"],
  ["please stop", "stop"],
  ["止めてください。", "stop"],
  ["一旦止めて", "pause"],
  ["一時停止お願いします", "pause"],
  ["pause please", "pause"],
  ["続けて。", "resume"],
  ["再開！", "resume"],
  ["continue", "resume"],
  ["resume now", "resume"],
  ["状況", "status"],
  ["状況教えて", "status"],
  ["ステータス？", "status"],
  ["status?", "status"],
  ["ｓｔａｔｕｓ", "status"],
  ["undo", "undo"],
  ["Undo last change.", "undo"],
  ["please undo that", "undo"],
  ["元に戻して", "undo"],
  ["直前の変更を取り消してください。", "undo"],
])("%j is read as %j", (text, control) => {
  expect(readControl(text)).toBe(control);
});

test.each([
  "stop using jQuery",
  "don't stop",
  "continue with the tests after lunch",
  "add a pause button",
  "止めてほしい機能を追加して",
  "一時停止ボタンを作って",
  "status page を作って",
  "undo the change to the login page",
  "add an undo button",
  "取り消しボタンを作って",
  "元に戻してから README を直して",
  "",
  "   ",
  "please",
  "。",
])("%j is no control word", (text) => {
  expect(readControl(text)).toBeUndefined();
});
