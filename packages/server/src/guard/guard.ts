import type { Credentials } from "./credentials.ts";
import type { WrongTries } from "./wrong-tries.ts";

/** What the guard looks at; an HTTP request and a WebSocket upgrade both come down to this. */
export interface Knock {
  readonly method: string;
  readonly path: string;
  /** A header's value; several of the same name are joined with a comma, so two Hosts never match. */
  header(name: string): string | null;
  readonly isUpgrade: boolean;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 415 | 421 | 429;
  readonly message: string;
}

export interface GuardOptions {
  readonly credentials: Credentials;
  readonly wrongTries: WrongTries;
  /** Exact `Host` values, in lower case, e.g. `127.0.0.1:4317`. */
  readonly hosts: readonly string[];
  readonly scheme: "http" | "https";
  /** Pages and scripts of the login, which nobody can have a token for yet. */
  readonly isPublic: (method: string, path: string) => boolean;
}

export type Guard = (knock: Knock) => Refusal | null;

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** One guard in front of every route and every upgrade: null lets the knock in. */
export function createGuard(options: GuardOptions): Guard {
  const origins = options.hosts.map((host) => `${options.scheme}://${host}`);
  return (knock) => {
    const host = knock.header("host")?.toLowerCase() ?? "";
    if (host === "") return { status: 400, message: "Host is missing." };
    if (!options.hosts.includes(host))
      return { status: 421, message: "This server does not answer to that name." };
    const origin = knock.header("origin");
    if (origin !== null && !origins.includes(origin.toLowerCase()))
      return { status: 403, message: "Requests from other sites are refused." };
    return (
      refuseStranger(knock, origin, options) ??
      (READS.has(knock.method) || isJson(knock)
        ? null
        : { status: 415, message: "Content-Type must be application/json." })
    );
  };
}

function refuseStranger(
  knock: Knock,
  origin: string | null,
  { credentials, wrongTries, isPublic }: GuardOptions,
): Refusal | null {
  if (!knock.isUpgrade && isPublic(knock.method, knock.path)) return null;
  const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(knock.header("authorization") ?? "")?.[1];
  if (bearer !== undefined && credentials.isToken(bearer)) return null;
  const cookie = cookieOf(knock.header("cookie"), credentials.cookieName);
  if (bearer === undefined && cookie !== undefined && credentials.isCookie(cookie)) {
    return isFromOurPage(knock, origin)
      ? null
      : { status: 403, message: "Requests from other sites are refused." };
  }
  if (bearer === undefined && cookie === undefined) return unauthorized;
  return wrongTries.note() ? unauthorized : { status: 429, message: "Too many wrong tokens." };
}

const unauthorized: Refusal = { status: 401, message: "Not signed in." };

/** A cookie is sent by the browser by itself, so whoever acts with it must show that our own page asked. */
function isFromOurPage(knock: Knock, origin: string | null): boolean {
  const site = knock.header("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  return origin !== null || (READS.has(knock.method) && !knock.isUpgrade);
}

function cookieOf(header: string | null, name: string): string | undefined {
  for (const part of (header ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

const isJson = (knock: Knock): boolean =>
  /^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(knock.header("content-type") ?? "");
