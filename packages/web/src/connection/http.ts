import { ErrorBody } from "@multiverse/protocol/error";
import type { Request } from "@multiverse/protocol/http/api";
import { logger } from "../logger.ts";
import { RequestError } from "./request-error.ts";

const log = logger.withComponent("http");

/** A browser sends the session cookie by itself; a change must say that it is JSON, or the server refuses it. */
export function createRequest(fetcher: typeof fetch = globalThis.fetch.bind(globalThis)): Request {
  return async (method, path, answer, body) => {
    // The server takes the trace over, so that its log, the runner's and this page's tell one story.
    const traceId = crypto.randomUUID();
    const response = await reach(fetcher, `/api/v1${path}`, init(method, traceId, body));
    const text = await response.text();
    if (!response.ok) {
      log.debug("request refused", { method, path, status: response.status, traceId });
      throw refusal(response.status, text);
    }
    return answer.parse(text === "" ? {} : JSON.parse(text));
  };
}

function init(method: string, traceId: string, body: unknown): RequestInit {
  const trace = { "X-Trace-Id": traceId };
  const base: RequestInit = { method, credentials: "same-origin", cache: "no-store" };
  if (method === "GET") return { ...base, headers: trace };
  const headers = { ...trace, "Content-Type": "application/json" };
  if (method === "DELETE" && body === undefined) return { ...base, headers };
  return { ...base, headers, body: JSON.stringify(body ?? {}) };
}

async function reach(fetcher: typeof fetch, url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetcher(url, options);
  } catch (cause) {
    throw new RequestError(
      "UNREACHABLE",
      "The server could not be reached.",
      "Is `multiverse` still running in its terminal?",
      0,
      cause,
    );
  }
}

function refusal(status: number, text: string): RequestError {
  const parsed = ErrorBody.safeParse(tryJson(text));
  if (!parsed.success)
    return new RequestError("INTERNAL", `The server answered with status ${status}.`, "", status);
  const { code, message, hint } = parsed.data.error;
  return new RequestError(code, message, hint, status);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not ours: a proxy's page, an empty body
  }
}
