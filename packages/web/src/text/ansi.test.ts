import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { plainText, spansOf, stripEscapes } from "./ansi.ts";

const ESC = "\u001b";
const isControl = (c: string): boolean =>
  c !== "\t" && (c < " " || (c >= "\u007f" && c <= "\u009f"));

describe("terminal escapes", () => {
  test("colour survives, everything a terminal would obey does not", () => {
    const text = `${ESC}[2J${ESC}[31mred${ESC}[0m ${ESC}]0;title\u0007${ESC}]8;;http://evil\u0007link${ESC}]8;;\u0007`;
    expect(stripEscapes(text)).toBe(`${ESC}[31mred${ESC}[0m link`);
  });

  test("queries, cursor moves, C1 controls and unfinished strings are gone", () => {
    expect(stripEscapes(`a${ESC}[6n${ESC}[10;5Hb\u009b31mc\u009dtitle`)).toBe(`ab${ESC}[31mc`);
    expect(stripEscapes(`x${ESC}P+q544e${ESC}\\y`)).toBe("xy");
    expect(stripEscapes("bell\u0007 back\u0008 nul\u0000")).toBe("bell back nul");
  });

  test("a carriage return leaves no trace, a tab stays", () => {
    expect(stripEscapes("10%\r100%\tdone")).toBe("10%100%\tdone");
  });

  test("spans carry the colours of the palette and reset", () => {
    expect(spansOf(`a${ESC}[1;32mb${ESC}[0mc`)).toEqual([
      { text: "a", colour: null, bold: false, dim: false },
      { text: "b", colour: "green", bold: true, dim: false },
      { text: "c", colour: null, bold: false, dim: false },
    ]);
  });

  test("extended colours are passed over without eating the text", () => {
    expect(spansOf(`${ESC}[38;5;196;1mx`).map((s) => [s.text, s.bold])).toEqual([["x", true]]);
    expect(spansOf(`${ESC}[38;2;1;2;3mx`).map((s) => s.text)).toEqual(["x"]);
  });

  test("whatever comes in, no control character comes out but the start of a colour", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const clean = stripEscapes(text);
        for (const span of spansOf(clean))
          expect(span.text.split("").filter(isControl)).toEqual([]);
        expect(plainText(clean)).toBe(
          spansOf(clean)
            .map((s) => s.text)
            .join(""),
        );
      }),
    );
  });
});
