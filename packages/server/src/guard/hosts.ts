import { hostname, networkInterfaces } from "node:os";

const ANYWHERE = new Set(["0.0.0.0", "::"]);
const LOOPBACK = ["127.0.0.1", "localhost", "::1"];

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The address to tell people; a server that listens everywhere is called by the machine's name. */
export const urlOf = (scheme: string, host: string, port: number): string =>
  `${scheme}://${bracketed(ANYWHERE.has(host) ? hostname() : host)}:${port}`;

/** The names a browser may call this server by, each exactly. Anything else is a page that pretends to be us. */
export function hostsOf(host: string, port: number): string[] {
  const own = ANYWHERE.has(host)
    ? [
        hostname(),
        ...Object.values(networkInterfaces()).flatMap((list) =>
          (list ?? []).map(({ address }) => address),
        ),
      ]
    : [host];
  const names = [...LOOPBACK, ...own].map((name) => bracketed(name.toLowerCase()));
  return [...new Set(names)].map((name) => `${name}:${port}`);
}
