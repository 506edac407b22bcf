import { expect, test } from "vitest";
import { endpointOf } from "./endpoint.ts";

test("a user and password in the base URL become a header and are never shown", () => {
  const { url, shown, headers } = endpointOf("http://me:p%40ss@host:1/v1/?key=k#x", null);
  expect(url).toBe("http://host:1/v1/chat/completions?key=k");
  expect(shown).toBe("http://host:1/v1");
  expect(headers).toEqual({ authorization: `Basic ${btoa("me:p@ss")}` });
});

test("a key wins over them", () => {
  expect(endpointOf("http://me:pass@host/v1", " sk-1\n")).toEqual({
    url: "http://host/v1/chat/completions",
    shown: "http://host/v1",
    headers: { authorization: "Bearer sk-1" },
  });
});

test("a server that wants no key gets none", () => {
  expect(endpointOf("http://host", null)).toMatchObject({
    url: "http://host/chat/completions",
    headers: {},
  });
});

test.each(["nonsense", "", "file:///etc/passwd", "host:8080/v1"])(
  "%j is refused without being repeated",
  (address) => {
    expect(() => endpointOf(address, null)).toThrow("OPENAI_BASE_URL is not an http or https");
  },
);

test.each(["sk-1\nsk-2", "sk 1", "sk-\u00e9"])("a key like %j is refused at once", (key) => {
  expect(() => endpointOf("http://host", key)).toThrow("characters that no key has");
});
