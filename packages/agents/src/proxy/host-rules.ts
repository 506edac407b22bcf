import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/** Which hosts may be reached. Exact names only: every wildcard is a way around. */
export interface HostRules {
  /** The task's: `host` (ports 80 and 443) or `host:port`. */
  readonly allow: readonly string[];
  /** The operator's: those of them that may be, or resolve to, private addresses; without a port on every port. */
  readonly allowPrivate: readonly string[];
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

export type Verdict =
  { readonly target: Target; readonly mayBePrivate: boolean } | { readonly refused: string };

const STANDARD_PORTS = [80, 443];
/** Letters, digits, dots and hyphens: nothing that a parser behind us could read in another way. */
const PLAIN_NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/;

/** Decides on `host` and `port` as they were asked for. */
export function judge(asked: string, port: number, rules: HostRules): Verdict {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return { refused: "not a port" };
  const host = asked.toLowerCase();
  if (host.length > 253 || !PLAIN_NAME.test(host)) return { refused: "not a plain host name" };
  const target = { host, port };
  const mayBePrivate = isListed(target, rules.allowPrivate, null);
  if (!isListed(target, rules.allow, STANDARD_PORTS))
    return { refused: "not among the allowed hosts" };
  if (isAddress(host) && !mayBePrivate) return { refused: "an address, not a name" };
  return { target, mayBePrivate };
}

/** Also in the spellings that resolvers take for addresses: 2130706433, 0x7f.1, 127.1. */
function isAddress(host: string): boolean {
  const last = host.split(".").at(-1) ?? "";
  return isIP(host) !== 0 || /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}

/** `ports` are those that an entry without a port stands for; null = all. */
function isListed(
  { host, port }: Target,
  list: readonly string[],
  ports: readonly number[] | null,
): boolean {
  return list.some((entry) => {
    const [name = "", ownPort] = entry.split(":");
    if (normal(name) !== host) return false;
    if (ownPort !== undefined) return Number(ownPort) === port;
    return ports === null || ports.includes(port);
  });
}

const normal = (name: string): string =>
  domainToASCII(name.trim().toLowerCase()) || name.trim().toLowerCase();

/** `host:port` of a CONNECT; null if it is anything else. */
export function authorityOf(text: string): Target | null {
  const colon = text.lastIndexOf(":");
  const port = text.slice(colon + 1);
  if (colon < 1 || !/^\d{1,5}$/.test(port)) return null;
  return { host: text.slice(0, colon), port: Number(port) };
}
