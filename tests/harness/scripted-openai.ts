import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the model does with one request. Without anything it answers 200 with an empty message. */
export interface ScriptedAnswer {
  /** The assistant's message, in the envelope of a chat completion. */
  readonly text?: string;
  /** The whole response body, in place of an envelope. */
  readonly body?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Take the request and never answer. */
  readonly hang?: boolean;
  /** Break the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number;
}

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON; the plain text when it is none. */
  readonly body: unknown;
}

/** Answers in order, or an answer for each request; `index` counts requests from 0. */
export type Script =
  readonly ScriptedAnswer[] | ((request: ScriptedRequest, index: number) => ScriptedAnswer);

export interface ScriptedOpenAi {
  /** What a client takes as its base URL. */
  readonly baseUrl: string;
  /** Every request so far, in the order it came. */
  readonly requests: readonly ScriptedRequest[];
  readonly close: () => Promise<void>;
}

/** Starts a model server on loopback that speaks OpenAI's chat completions and says what the script says. */
export async function startScriptedOpenAi(script: Script): Promise<ScriptedOpenAi> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      const index = requests.push(request) - 1;
      return answer(response, answerFor(script, request, index));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The body of an error as the API words it. */
export function openAiError(code: string, message: string): string {
  return JSON.stringify({ error: { message, type: code, param: null, code } });
}

async function readRequest(incoming: IncomingMessage): Promise<ScriptedRequest> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += String(chunk);
  const { method = "", url: path = "", headers } = incoming;
  return { method, path, headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function answerFor(script: Script, request: ScriptedRequest, index: number): ScriptedAnswer {
  if (!request.path.endsWith("/chat/completions")) {
    return { status: 404, body: openAiError("not_found", `no such path: ${request.path}`) };
  }
  if (typeof script === "function") return script(request, index);
  const atTheEnd = `the script has ${script.length} answers and this is request ${index + 1}`;
  return script[index] ?? { status: 500, body: openAiError("script_ended", atTheEnd) };
}

async function answer(response: ServerResponse, scripted: ScriptedAnswer): Promise<void> {
  if (scripted.hang === true) return;
  await sleep(scripted.delayMs ?? 0);
  const body = Buffer.from(scripted.body ?? completion(scripted.text ?? ""));
  response.writeHead(scripted.status ?? 200, {
    "content-type": "application/json",
    "content-length": body.length,
    ...scripted.headers,
  });
  if (scripted.cutAfterBytes === undefined) response.end(body);
  else response.write(body.subarray(0, scripted.cutAfterBytes), () => response.destroy());
}

function completion(content: string): string {
  return JSON.stringify({
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: "scripted",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
}
