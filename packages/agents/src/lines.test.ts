import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "./lines.ts";

function split(chunks: Uint8Array[], limit?: number): string[] {
  const splitter = createLineSplitter(limit);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}
const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ["LF", "a\nb\n", ["a", "b"]],
  ["CRLF", "a\r\nb\r\n", ["a", "b"]],
  ["a lone CR, as progress bars print it", "1%\r2%\r\n3%", ["1%", "2%", "3%"]],
  ["empty lines", "a\n\n\nb\r\n\r\nc", ["a", "", "", "b", "", "c"]],
  ["CR LF apart", "a\r\rb\n\n", ["a", "", "b", ""]],
  ["no line end at the end", "a\nb", ["a", "b"]],
  ["nothing", "", []],
])("line ends: %s", (_, text, lines) => {
  expect(split([bytes(text)])).toEqual(lines);
});

test("where the bytes are cut into chunks makes no difference", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "漢", "🎉", "\n", "\r", "\r\n") });
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 4, max: 20 }),
      (t, n, limit) => {
        const whole = bytes(t);
        const pieces: Uint8Array[] = [];
        for (let i = 0; i < whole.length; i += n) pieces.push(whole.subarray(i, i + n));
        expect(split(pieces, limit)).toEqual(split([whole], limit));
        expect(split(pieces)).toEqual(
          t === "" ? [] : t.replace(/(\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/),
        );
      },
    ),
  );
});

test("a line over the limit is cut at a whole character, marked, and its rest dropped", () => {
  const long = `${"漢".repeat(10)}tail`;
  const mark = " … [line cut at 8 bytes]";
  expect(split([bytes(`${long}\nnext\n`)], 8)).toEqual([`漢漢${mark}`, "next"]);
  expect(split([bytes("12345678\n"), bytes("123456789\n")], 8)).toEqual([
    "12345678",
    `12345678${mark}`,
  ]);
});

test("the cut line is handed out before its end comes", () => {
  const splitter = createLineSplitter(4);
  expect(splitter.push(bytes("abcdef"))).toEqual(["abcd … [line cut at 4 bytes]"]);
  expect(splitter.push(bytes("ghi"))).toEqual([]);
  expect(splitter.push(bytes("\nx\n"))).toEqual(["x"]);
});

test("any bytes give text and never throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      for (const line of split(chunks, 10)) expect(line.length).toBeLessThan(40);
    }),
  );
});
