import fc from "fast-check";
import { expect, test } from "vitest";
import { createCredentials, sameSecret } from "./credentials.ts";

test("secrets of any length are compared as a whole, and are equal only to themselves", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(sameSecret(a, a)).toBe(true);
      expect(sameSecret(a, b)).toBe(a === b);
      expect(sameSecret(a, `${a}x`)).toBe(false);
    }),
  );
});

test("a rotated token ends the old one and every cookie made from it", () => {
  const credentials = createCredentials("first", 4_317);
  const cookie = credentials.cookieValue();
  expect([credentials.isToken("first"), credentials.isCookie(cookie)]).toEqual([true, true]);
  credentials.rotate("second");
  expect([credentials.isToken("first"), credentials.isCookie(cookie)]).toEqual([false, false]);
  expect(credentials.isToken("second")).toBe(true);
});

test("the cookie is not the token, and nobody can use it as one", () => {
  const credentials = createCredentials("first", 4_317);
  expect(credentials.isToken(credentials.cookieValue())).toBe(false);
  expect(credentials.isCookie("first")).toBe(false);
});
