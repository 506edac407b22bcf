import type { ServerResponse } from "node:http";

/** Server-sent events, one JSON document each. */
export function openEvents(response: ServerResponse): (data: object, event?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return (data, event) => {
    response.write(
      `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`,
    );
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** The connection goes away in the middle of an answer. */
export function breakOff(response: ServerResponse): void {
  setTimeout(() => response.destroy(), 50);
}

export const wordsOf = (text: string): string[] => text.match(/\S+\s*/g) ?? [""];

let made = 0;
export const newId = (prefix: string): string => `${prefix}_${(made += 1).toString(36)}`;
