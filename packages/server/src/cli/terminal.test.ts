import { describe, expect, test } from "vitest";
import { safeText } from "./terminal.ts";
import { cutToWidth, wrapToWidth } from "./text-width.ts";

const bad: [string, string][] = [
  ["clipboard", "\u001b]52;c;aGk=\u0007after"],
  ["link", "\u001b]8;;https://evil.example\u001b\\after"],
  ["title", "\u001b]0;title\u0007after"],
  ["clear", "\u001b[2Jafter"],
  ["question about the terminal", "\u001b[cafter"],
  ["DCS", "\u001bP1$r0m\u001b\\after"],
  ["C1", "\u009b2Jafter\u0085"],
  ["C1 OSC", "\u009d0;x\u009cafter"],
  ["APC and PM", "\u001b_x\u001b\\\u001b^y\u001b\\after"],
  ["back and bell", "\u0008\u0007\u0000after"],
  ["unfinished", "after\u001b"],
  ["unfinished CSI", "after\u001b[12;"],
];

describe("text for a terminal", () => {
  test.each(bad)("%s is taken out", (_, text) => {
    for (const colours of [true, false]) expect(safeText(text, colours)).toBe("after");
  });

  test("colours stay where they are wanted", () => {
    const text = "\u001b[1;31mred\u001b[0m";
    expect(safeText(text, true)).toBe(text);
    expect(safeText(text, false)).toBe("red");
  });

  test("line ends, tabs and every script stay", () => {
    expect(safeText("a\tb\nあ é 🎉", true)).toBe("a\tb\nあ é 🎉");
  });
});

test.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["too long for it", 8, "too lon…"],
  ["日本語のタイトル", 8, "日本語…"],
])("%j in %i columns is %j", (text, columns, shown) => {
  expect(cutToWidth(text, columns)).toBe(shown);
});

test.each([
  ["two words", 20, ["two words"]],
  ["two words", 5, ["two", "words"]],
  ["averylongword", 5, ["avery", "longw", "ord"]],
  ["日本語のタイトル", 6, ["日本語", "のタイ", "トル"]],
  ["a\nb", 10, ["a", "b"]],
  ["", 10, [""]],
])("%j in lines of %i columns is %j", (text, columns, lines) => {
  expect(wrapToWidth(text, columns)).toEqual(lines);
});
