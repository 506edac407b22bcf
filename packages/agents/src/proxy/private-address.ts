import { BlockList, isIP } from "node:net";

/** Addresses that are not the public internet: this machine, its networks, its metadata service. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
}

/** Everything in IPv6 counts as private: the way out speaks IPv4 only, so that there is one list to get right. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) === 4 ? PRIVATE.check(address, "ipv4") : true;
}
