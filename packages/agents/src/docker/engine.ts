import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { createLineSplitter } from "../lines.ts";
import { canceled, daemonDown, EngineAnswer, noAnswer } from "./errors.ts";

/** The Docker Engine API over its socket. Every call has a deadline: an engine that hangs must not hang us. */
export interface Engine {
  /** The answer's JSON; a status outside `ok` (default 2xx) throws an EngineAnswer. */
  call(method: string, path: string, options?: CallOptions): Promise<unknown>;
  /** An answer that comes line by line (pull, build). The deadline is for the silence between two lines. */
  lines(path: string, options: LinesOptions): Promise<void>;
  /** A call whose connection becomes a raw two-way stream. */
  hijack(path: string, body: object): Promise<Duplex>;
  close(): void;
}

export interface CallOptions {
  readonly body?: object;
  readonly ok?: readonly number[];
  readonly timeoutMs?: number;
}

export interface LinesOptions {
  readonly body?: Readable | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  readonly silenceMs?: number;
}

const CALL_MS = 30_000;
const SILENCE_MS = 120_000;
const LARGEST_ANSWER = 16 * 1_048_576;
const API = "/v1.41";

export function connectEngine(socketPath: string): Engine {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const open: Open = (method, path, headers) =>
    request({
      socketPath,
      method,
      path: `${API}${path}`,
      headers: { host: "docker", ...headers },
      agent,
    });
  return {
    call: (method, path, options = {}) => call(open, method, path, options),
    lines: (path, options) => lines(open, path, options),
    hijack(path, body) {
      const json = JSON.stringify(body);
      const headers = { ...jsonHeaders(json), connection: "Upgrade", upgrade: "tcp" };
      return upgraded(open("POST", path, headers), json, path);
    },
    close: () => agent.destroy(),
  };
}

type Open = (method: string, path: string, headers: Record<string, string>) => ClientRequest;

async function call(
  open: Open,
  method: string,
  path: string,
  options: CallOptions,
): Promise<unknown> {
  const { body, ok, timeoutMs = CALL_MS } = options;
  const json = body === undefined ? undefined : JSON.stringify(body);
  const outgoing = open(method, path, json === undefined ? {} : jsonHeaders(json));
  const what = `${method} ${pathOnly(path)}`;
  const deadline = setTimeout(() => outgoing.destroy(noAnswer(what, timeoutMs)), timeoutMs);
  try {
    const response = responseOf(outgoing);
    outgoing.end(json);
    const incoming = await response;
    const text = await collect(incoming);
    const status = incoming.statusCode ?? 0;
    const fine = ok ? ok.includes(status) : status >= 200 && status < 300;
    if (!fine) throw new EngineAnswer(status, messageIn(text));
    return text === "" ? null : (JSON.parse(text) as unknown);
  } finally {
    clearTimeout(deadline);
  }
}

async function lines(open: Open, path: string, options: LinesOptions): Promise<void> {
  const { body, headers = {}, onLine, signal, silenceMs = SILENCE_MS } = options;
  const streamed = body !== undefined && "pipe" in body ? body : null;
  const json = streamed === null && body !== undefined ? JSON.stringify(body) : undefined;
  const outgoing = open("POST", path, {
    ...(json === undefined ? {} : jsonHeaders(json)),
    ...headers,
  });
  const abort = (): void => void outgoing.destroy(canceled());
  signal.addEventListener("abort", abort, { once: true });
  const tooLong = (): void => void outgoing.destroy(noAnswer(pathOnly(path), silenceMs));
  const watchdog = setTimeout(tooLong, silenceMs);
  try {
    const response = responseOf(outgoing);
    if (streamed) streamed.on("error", (error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end(json);
    const incoming = await response;
    if ((incoming.statusCode ?? 0) >= 300) {
      throw new EngineAnswer(incoming.statusCode ?? 0, messageIn(await collect(incoming)));
    }
    await readLines(incoming, (line) => {
      watchdog.refresh();
      onLine(line);
    });
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
  }
}

const pathOnly = (path: string): string => path.split("?")[0] ?? path;

const jsonHeaders = (json: string): Record<string, string> => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(json)),
});

function responseOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.on("error", (error) => reject(asForeseen(error)));
  });
}

function upgraded(outgoing: ClientRequest, json: string, path: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => outgoing.destroy(noAnswer(path, CALL_MS)), CALL_MS);
    const settle = (done: () => void): void => {
      clearTimeout(deadline);
      done();
    };
    outgoing.once("upgrade", (_response, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      settle(() => resolve(socket));
    });
    outgoing.once("response", (response) => {
      collect(response).then(
        (text) => settle(() => reject(new EngineAnswer(response.statusCode ?? 0, messageIn(text)))),
        (error: Error) => settle(() => reject(error)),
      );
    });
    outgoing.on("error", (error) => settle(() => reject(asForeseen(error))));
    outgoing.end(json);
  });
}

/** An error of the socket itself means that there is no engine; ours have been made on purpose. */
function asForeseen(error: Error): Error {
  return "code" in error && error.name !== "MultiverseError" ? daemonDown(error) : error;
}

async function collect(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new EngineAnswer(0, "the engine's answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readLines(response: IncomingMessage, onLine: (line: string) => void): Promise<void> {
  const splitter = createLineSplitter();
  for await (const chunk of response as AsyncIterable<Buffer>) splitter.push(chunk).forEach(onLine);
  splitter.end().forEach(onLine);
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  } catch {
    // not JSON: the text itself is the message
  }
  return text.slice(0, 500).trim();
}
