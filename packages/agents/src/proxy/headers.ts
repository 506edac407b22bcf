import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";

const BETWEEN_NEIGHBOURS = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers without those that speak of one connection only. */
export function passedOn(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = String(headers.connection ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !BETWEEN_NEIGHBOURS.has(name) && !named.includes(name),
    ),
  );
}
