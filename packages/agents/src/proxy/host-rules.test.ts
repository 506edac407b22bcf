import { expect, test } from "vitest";
import { authorityOf, judge } from "./host-rules.ts";
import { isPrivateAddress } from "./private-address.ts";
import { routeTo } from "./resolve.ts";

const rules = { allow: ["allowed.com", "other.org:8443", "bücher.example"], allowPrivate: [] };
const verdict = (host: string, port = 443): string => {
  const said = judge(host, port, rules);
  return "refused" in said ? said.refused : `${said.target.host}:${said.target.port}`;
};

test.each<[host: string, port: number, target: string]>([
  ["allowed.com", 443, "allowed.com:443"],
  ["ALLOWED.com", 80, "allowed.com:80"],
  ["other.org", 8_443, "other.org:8443"],
  ["xn--bcher-kva.example", 443, "xn--bcher-kva.example:443"],
])("%s:%i is let through", (host, port, target) => {
  expect(verdict(host, port)).toBe(target);
});

test.each<[host: string, port: number]>([
  ["allowed.com.evil.com", 443],
  ["evil-allowed.com", 443],
  ["evil.com\0.allowed.com", 443],
  ["allowed.com\0.evil.com", 443],
  ["allowed.com\r\nHost: evil.com", 443],
  ["allowed.com.", 443],
  ["sub.allowed.com", 443],
  ["allowed.com", 22],
  ["allowed.com", 0],
  ["allowed.com", 65_536],
  ["allowed.com", Number.NaN],
  ["other.org", 443],
  ["user@allowed.com", 443],
  ["allowed.com%2eevil.com", 443],
  ["аllowed.com", 443],
  ["xn--llowed-2fg.com", 443],
  ["127.0.0.1", 443],
  ["2130706433", 443],
  ["0x7f000001", 443],
  ["0x7f.1", 443],
  ["127.1", 443],
  ["[::1]", 443],
  ["[::ffff:127.0.0.1]", 443],
  ["169.254.169.254", 80],
  ["", 443],
  ["a".repeat(300), 443],
])("%j:%i is refused", (host, port) => {
  expect(verdict(host, port)).not.toMatch(/:\d+$/);
});

test("an address is let through only if task and operator both name it", () => {
  const both = { allow: ["172.17.0.1:8399"], allowPrivate: ["172.17.0.1"] };
  expect(judge("172.17.0.1", 8_399, both)).toMatchObject({ mayBePrivate: true });
  expect(judge("172.17.0.1", 22, both)).toHaveProperty("refused");
  expect(judge("172.17.0.1", 8_399, { ...both, allow: [] })).toHaveProperty("refused");
  expect(judge("172.17.0.1", 8_399, { ...both, allowPrivate: [] })).toHaveProperty("refused");
});

test.each([
  ["8.8.8.8", false],
  ["93.184.216.34", false],
  ["127.0.0.1", true],
  ["10.1.2.3", true],
  ["172.16.0.1", true],
  ["172.32.0.1", false],
  ["192.168.1.1", true],
  ["169.254.169.254", true],
  ["100.64.0.1", true],
  ["0.0.0.0", true],
  ["224.0.0.1", true],
  ["255.255.255.255", true],
  ["::1", true],
  ["2606:4700::1", true],
  ["::ffff:8.8.8.8", true],
])("%s is private: %s", (address, isPrivate) => {
  expect(isPrivateAddress(address)).toBe(isPrivate);
});

test("an allowed name that points inside is refused, also if only one of its addresses does", async () => {
  const to = (...addresses: string[]) =>
    routeTo("allowed.com", 443, rules, () => Promise.resolve(addresses));
  expect(await to("93.184.216.34")).toEqual({
    host: "allowed.com",
    port: 443,
    address: "93.184.216.34",
  });
  expect(await to("127.0.0.1")).toEqual({ refused: "resolves to a private address" });
  expect(await to("93.184.216.34", "10.0.0.1")).toEqual({
    refused: "resolves to a private address",
  });
  expect(await to()).toEqual({ refused: "cannot be resolved" });
});

test.each([
  ["allowed.com:443", { host: "allowed.com", port: 443 }],
  ["allowed.com", null],
  [":443", null],
  ["allowed.com:x", null],
  ["http://allowed.com/", null],
])("%j as the authority of a CONNECT", (text, target) => {
  expect(authorityOf(text)).toEqual(target);
});
