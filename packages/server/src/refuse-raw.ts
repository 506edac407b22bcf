import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorBody } from "@multiverse/protocol/error";
import { SECURITY_HEADERS } from "./guard/headers.ts";

/** Ends a connection that never became a request or a WebSocket, with the same words as any other refusal. */
export function refuseRaw(socket: Duplex, status: number, body: ErrorBody): void {
  const text = JSON.stringify(body);
  const headers = {
    ...SECURITY_HEADERS,
    "cache-control": "no-store",
    connection: "close",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${lines.join("\r\n")}\r\n\r\n${text}`,
  );
}

/** What Node could not even read as HTTP gets a status and the door. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (error.code === "HPE_HEADER_OVERFLOW")
    refuseRaw(socket, 431, unreadable("the headers are too large"));
  else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT")
    refuseRaw(socket, 408, unreadable("the request took too long to arrive"));
  else refuseRaw(socket, 400, unreadable("this is no HTTP request"));
}

export const unreadable = (message: string): ErrorBody => ({
  error: { code: "INVALID_INPUT", message, hint: "Use an HTTP client, or the web page." },
});

export const comeBackLater: ErrorBody = {
  error: {
    code: "CONFLICT",
    message: "the server is starting or stopping",
    hint: "Try again in a moment.",
  },
};
