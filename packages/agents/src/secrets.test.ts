import fc from "fast-check";
import { expect, test } from "vitest";
import { createMask, secretsOf } from "./secrets.ts";

const CANARY = 'sk-canary/9f8e+7d6c=5b4a "quoted" ü';
const mask = createMask([CANARY]);

test.each([
  ["itself", CANARY],
  ["base64", Buffer.from(CANARY).toString("base64")],
  ["base64url", Buffer.from(CANARY).toString("base64url")],
  ["URL-encoded", encodeURIComponent(CANARY)],
  [
    "URL-encoded with small letters",
    encodeURIComponent(CANARY).replace(/%../g, (hex) => hex.toLowerCase()),
  ],
  ["form-encoded", encodeURIComponent(CANARY).replaceAll("%20", "+")],
  ["escaped in JSON", JSON.stringify(CANARY).slice(1, -1)],
  ["escaped twice", JSON.stringify(JSON.stringify(CANARY)).slice(3, -3)],
])("a secret is masked: %s", (_, form) => {
  expect(mask.mask(`before ${form} after`)).toMatch(/^before \*\*\*=* ?={0,2} ?after$/);
  expect(mask.mask(`before ${form} after`)).not.toContain("9f8e");
});

test("a secret inside a longer base64 text is masked at every alignment", () => {
  for (const user of ["a", "ab", "abc", "abcd"]) {
    const encoded = Buffer.from(`${user}:${CANARY}:tail`).toString("base64");
    const left = mask.mask(encoded).replace("***", "");
    expect(Buffer.from(left, "base64").toString()).not.toContain("canary");
    expect(left.length).toBeLessThan(encoded.length / 2);
  }
});

test("a secret split over chunks never comes through, and everything else does", () => {
  const parts = fc.array(
    fc.constantFrom("sk-", "sk-sk-", "canary", CANARY, "x", CANARY.slice(0, 9)),
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 7 }), (words, step) => {
      const text = words.join("");
      const stream = mask.stream();
      let out = "";
      for (let i = 0; i < text.length; i += step) out += stream.push(text.slice(i, i + step));
      out += stream.end();
      expect(out).toBe(mask.mask(text));
      expect(out).not.toContain(CANARY);
    }),
  );
});

test("secrets that overlap themselves and each other are masked the same in pieces as in one", () => {
  const overlapping = createMask(["abab", "ababab-long", "baba"]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", "-", "long") }), (text) => {
      const stream = overlapping.stream();
      let out = "";
      for (const c of text) out += stream.push(c);
      out += stream.end();
      expect(out).not.toMatch(/abab/);
      expect(out.replaceAll("***", "").length).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("a stream does not hold back text that cannot become a secret", () => {
  const stream = mask.stream();
  expect(stream.push("hello world\n")).toBe("hello world\n");
  expect(stream.push("sk-can")).toBe("");
  expect(stream.push("did\n")).toBe("sk-candid\n");
});

test("each line of a secret of many lines is masked", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n";
  const masked = createMask([key]);
  expect(masked.mask("read MIIEvQIBADANBg")).toBe("read ***");
  expect(masked.mask(key)).toBe("***\n");
});

test("a secret in hex is masked", () => {
  const hex = Buffer.from(CANARY).toString("hex");
  expect(mask.mask(`${hex} ${hex.toUpperCase()}`)).toBe("*** ***");
});

test("short values are words: they are left alone", () => {
  expect(createMask(["on", "", "1"]).mask("on 1 mode")).toBe("on 1 mode");
});

test("every string of a value is masked, names included, and the rest is kept", () => {
  const value = { a: [CANARY, 1, null], [CANARY]: { b: `x${CANARY}` }, t: true };
  expect(mask.maskDeep(value)).toEqual({ a: ["***", 1, null], "***": { b: "x***" }, t: true });
});

test("the words of a format are not hidden, nor the strings that are exactly one of them", () => {
  const masked = createMask(["info", "code"], new Set(["info", "exit_code"]));
  expect(masked.maskDeep({ exit_code: 0, level: "info", text: "a code" })).toEqual({
    exit_code: 0,
    level: "info",
    text: "a ***",
  });
});

test("secrets of an environment are known by their names", () => {
  const env = {
    OPENAI_API_KEY: "k1",
    GH_TOKEN: "t1",
    KEYBOARD: "qwerty",
    DB_PASSWORD: "p1",
    X: "",
    A_SECRET: undefined,
  };
  expect(secretsOf(env)).toEqual(["k1", "t1", "p1"]);
});
