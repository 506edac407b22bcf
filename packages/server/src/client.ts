import { createApi, type Api } from "@multiverse/protocol/http/api";
import {
  ErrorBody,
  ERROR_CODES,
  MultiverseError,
  type ErrorCode,
} from "@multiverse/protocol/error";
import type { ServerFile } from "@multiverse/protocol/settings";
import { systemCode } from "@multiverse/protocol/system-code";
import type { Home } from "./home.ts";
import { parseJson } from "./json-text.ts";
import { readServerFile } from "./server-file.ts";

/** Our own CLI's way to the running server. */
export interface Client {
  readonly url: string;
  readonly token: string;
  /** The routes as functions: the same that the browser uses. */
  readonly api: Api;
  text(path: string): Promise<string>;
}

/** A server that hangs must not hang us. */
const TIMEOUT_MS = 60_000;
const LOOK_MS = 5_000;

export function createClient(
  { url, token }: Pick<ServerFile, "url" | "token">,
  timeoutMs = TIMEOUT_MS,
): Client {
  async function ask(method: string, path: string, body?: unknown): Promise<string> {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        // The server may close an idle connection in the moment we use it again; a new one costs next to nothing.
        connection: "close",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw isUntrusted(cause) ? untrusted(cause) : notRunning(cause);
    });
    const text = await answer.text();
    if (!answer.ok) throw refusal(answer.status, text);
    return text;
  }
  return {
    url,
    token,
    api: createApi(async (method, path, schema, body) =>
      schema.parse(parseJson(await ask(method, path, method === "POST" ? (body ?? {}) : body))),
    ),
    text: (path) => ask("GET", path),
  };
}

/** The server that server.json names, if it answers; null if none is running. */
export async function findServer(home: Home): Promise<Client | null> {
  const file = await readServerFile(home);
  if (!file || file.pid === 0 || !isProcess(file.pid)) return null;
  const answers = await createClient(file, LOOK_MS)
    .text("/workspaces")
    .then(
      () => true,
      (error: unknown) =>
        error instanceof MultiverseError && error.code !== "NOT_FOUND" && !isUnreachable(error),
    );
  return answers ? createClient(file) : null;
}

export async function requireServer(home: Home): Promise<Client> {
  const client = await findServer(home);
  if (!client) throw notRunning();
  return client;
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

const isUnreachable = (error: MultiverseError): boolean => error.retryable;

/** TLS failed although someone answered: a certificate that this machine does not know. */
const isUntrusted = (error: unknown): boolean =>
  error instanceof Error && /CERT|SELF_SIGNED|VERIFY/.test(systemCode(error.cause));

const untrusted = (cause: unknown): MultiverseError =>
  new MultiverseError("FORBIDDEN", "the server's certificate is not trusted here", {
    hint: "Name it with NODE_EXTRA_CA_CERTS=cert.pem, or use a certificate that this machine knows.",
    cause,
  });

const notRunning = (cause?: unknown): MultiverseError =>
  new MultiverseError("NOT_FOUND", "no server is running", {
    hint: "Start one with `multiverse PROJECT_DIR`.",
    retryable: true,
    cause,
  });

/** The server's own words, as the error they were. */
function refusal(status: number, text: string): MultiverseError {
  const parsed = ErrorBody.safeParse(parseJson(text));
  if (!parsed.success)
    return new MultiverseError("CONFLICT", `the server answered ${status}`, {
      hint: "Its log says more.",
    });
  const { code, message, hint } = parsed.data.error;
  const known: ErrorCode = ERROR_CODES.find((each) => each === code) ?? "CONFLICT";
  return new MultiverseError(known, message, { hint: hint || "Its log says more." });
}
