import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { answerAnthropic } from "./anthropic.ts";
import { answerGemini } from "./gemini.ts";
import { answerOpenAi } from "./openai.ts";
import type { Reply, Scenario, Turn } from "./script.ts";
import { sendJson } from "./sse.ts";

export interface ModelRequest {
  readonly at: number;
  readonly scenario: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly turn: Turn;
  readonly reply: Reply;
}

/** A model server that says what its script says, in the wire protocols of Codex, Claude Code and Gemini CLI. */
export interface ScriptedModel {
  readonly port: number;
  /** What a CLI takes as its base address to be answered by a scenario. */
  baseUrl(host: string, protocol: Turn["protocol"], scenario: string): string;
  /** Requests that were answered by a scenario, in order. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** The first segment of the path names the scenario. Side questions of a CLI are answered by themselves. */
export async function startScriptedModel(
  scenarios: Readonly<Record<string, Scenario>>,
  host = "0.0.0.0",
): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      sendJson(response, 599, { error: { message: String(error) } });
    });
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? "/").split("?")[0] ?? "/";
    const body = await bodyOf(incoming);
    if (incoming.method !== "POST")
      return sendJson(response, 404, { error: { message: "not scripted" } });
    if (path.includes("count_tokens")) return sendJson(response, 200, { input_tokens: 1 });
    const name = path.split("/")[1] ?? "";
    const scenario = scenarios[name];
    if (scenario === undefined)
      return sendJson(response, 404, { error: { message: `no scenario ${name}` } });
    const scripted = (turn: Turn): Reply => {
      const aside = !turn.hasTools;
      const reply = scenario(turn);
      if (aside && !("refuse" in reply)) return { say: "ok" };
      requests.push({
        at: Date.now(),
        scenario: name,
        path,
        headers: incoming.headers,
        turn,
        reply,
      });
      return reply;
    };
    if (path.endsWith("/responses")) return answerOpenAi(body, scripted, response);
    if (path.endsWith("/messages")) return answerAnthropic(body, scripted, response);
    if (path.includes("/models/")) return answerGemini(path, body, scripted, response);
    sendJson(response, 404, { error: { message: `no such path ${path}` } });
  }

  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: (address, protocol, scenario) =>
      `http://${address}:${port}/${scenario}${protocol === "openai" ? "/v1" : ""}`,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += String(chunk);
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
