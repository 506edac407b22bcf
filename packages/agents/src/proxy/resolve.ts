import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { judge, type HostRules } from "./host-rules.ts";
import { isPrivateAddress } from "./private-address.ts";

export interface Route {
  readonly host: string;
  readonly port: number;
  /** The one address that was looked at and is connected to: a second look-up could give another. */
  readonly address: string;
}

export type Routing = Route | { readonly refused: string };

export type LookUp = (host: string) => Promise<readonly string[]>;

export const systemLookUp: LookUp = async (host) =>
  (await lookup(host, { all: true, family: 4 })).map(({ address }) => address);

/** Decides on a host and, if it is allowed, finds out where it is. */
export async function routeTo(
  asked: string,
  port: number,
  rules: HostRules,
  lookUp: LookUp,
): Promise<Routing> {
  const verdict = judge(asked, port, rules);
  if ("refused" in verdict) return verdict;
  const { host } = verdict.target;
  const addresses = isIP(host) === 0 ? await lookUp(host).catch(() => []) : [host];
  const [address] = addresses;
  if (address === undefined) return { refused: "cannot be resolved" };
  // One private address among several is enough: that is how a name is made to point inside.
  if (!verdict.mayBePrivate && addresses.some(isPrivateAddress))
    return { refused: "resolves to a private address" };
  return { host, port, address };
}
