import type { Logger } from "@multiverse/agents/log";
import type { Context } from "hono";
import { LOGIN_HTML } from "../login-page.ts";
import type { Guard, Refusal } from "./guard.ts";

const CODES: Readonly<Record<Refusal["status"], string>> = {
  400: "INVALID_INPUT",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  415: "UNSUPPORTED_MEDIA_TYPE",
  421: "FORBIDDEN",
  429: "RATE_LIMITED",
};

/** A refusal as data; it says nothing about what is behind the door. */
export const refusalBody = ({ status, message }: Refusal) => ({
  error: {
    code: CODES[status],
    message,
    hint: "Run `multiverse` in a terminal and open the link it prints.",
  },
});

/** The guard as the first thing every request meets. */
export const knock =
  (guard: Guard, log: Logger) =>
  async (c: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { method, path } = c.req;
    const header = (name: string): string | null => c.req.header(name) ?? null;
    const refusal = guard({ method, path, header, isUpgrade: false });
    if (refusal === null) {
      await next();
      return undefined;
    }
    log.debug("refused", { method, path, status: refusal.status });
    if (refusal.status === 401 && wantsPage(c)) return c.html(LOGIN_HTML, 401);
    return c.json(refusalBody(refusal), refusal.status);
  };

/** Someone who opens an address of the app without being signed in sees how to sign in; the status stays 401. */
const wantsPage = (c: Context): boolean =>
  c.req.method === "GET" &&
  !c.req.path.startsWith("/api/") &&
  (c.req.header("accept") ?? "").includes("text/html");
