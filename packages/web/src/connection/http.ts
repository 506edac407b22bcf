import { ErrorBody } from "@multiverse/protocol/error";
import type { ZodType } from "zod";
import { RequestError } from "./request-error.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One request: JSON out, JSON in, checked against the schema of its answer. */
export type Request = <T>(
  method: Method,
  path: string,
  answer: ZodType<T>,
  body?: unknown,
) => Promise<T>;

const JSON_TYPE = { "Content-Type": "application/json" };

/** A browser sends the session cookie by itself; a change must say that it is JSON, or the server refuses it. */
export function createRequest(fetcher: typeof fetch = globalThis.fetch.bind(globalThis)): Request {
  return async (method, path, answer, body) => {
    const response = await reach(fetcher, `/api/v1${path}`, init(method, body));
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text);
    return answer.parse(text === "" ? {} : JSON.parse(text));
  };
}

function init(method: Method, body: unknown): RequestInit {
  const base: RequestInit = { method, credentials: "same-origin", cache: "no-store" };
  if (method === "GET") return base;
  if (method === "DELETE" && body === undefined) return { ...base, headers: JSON_TYPE };
  return { ...base, headers: JSON_TYPE, body: JSON.stringify(body ?? {}) };
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
