import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { MultiverseError } from "@multiverse/protocol/error";
import { LoginBody } from "@multiverse/protocol/http/requests";
import { Done } from "@multiverse/protocol/http/responses";
import { z } from "zod";
import { LOGIN_HTML, LOGIN_SCRIPT, LOGIN_STYLE } from "../login-page.ts";
import { body, json, refused, type Parts } from "./parts.ts";

const PAGES: Readonly<Record<string, { type: string; text: string }>> = {
  "/login": { type: "text/html; charset=utf-8", text: LOGIN_HTML },
  "/login.js": { type: "text/javascript; charset=utf-8", text: LOGIN_SCRIPT },
  "/login.css": { type: "text/css; charset=utf-8", text: LOGIN_STYLE },
};

/** What can be reached without a token: the login page and the exchange of its code, nothing else. */
export const isPublic = (method: string, path: string): boolean =>
  path === "/login" ||
  path === "/api/v1/login" ||
  (method !== "POST" && Object.hasOwn(PAGES, path));

const year = 365 * 24 * 3_600;

/** With `assets`, the page's script and style as well: they are wanted only once. */
export function loginRoutes(app: OpenAPIHono, parts: Parts, assets = false): void {
  const { codes, credentials, wrongTries, secureCookie } = parts;
  for (const [path, { type, text }] of Object.entries(PAGES)) {
    if (path !== "/login" && !assets) continue;
    app.get(path, (c) => c.body(text, 200, { "content-type": type }));
  }
  app.openapi(
    createRoute({
      method: "post",
      path: "/login",
      summary: "Exchange a one-time code for the cookie",
      security: [],
      request: { body: body(LoginBody) },
      responses: { 200: json(Done), ...refused },
    }),
    (c) => {
      const { code } = c.req.valid("json");
      const isRight = codes.redeem(code) || (!wrongTries.areTooMany() && codes.isPassword(code));
      if (!isRight) throw wrongCode(wrongTries.note());
      const { cookieName, cookieValue } = credentials;
      const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${year}${secureCookie ? "; Secure" : ""}`;
      c.header("set-cookie", `${cookieName}=${cookieValue()}; ${flags}`);
      return c.json({ ok: true as const }, 200);
    },
  );
}

/** For whoever already has the token: a fresh link for a browser, and a fresh token. */
export function tokenRoutes(app: OpenAPIHono, { codes, url, rotateToken }: Parts): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/login/codes",
      summary: "A fresh one-time login link",
      responses: { 201: json(z.object({ url: z.string() })), ...refused },
    }),
    (c) => c.json({ url: loginUrl(url, codes.create()) }, 201),
  );
  app.openapi(
    createRoute({
      method: "post",
      path: "/token/rotate",
      summary: "Replace the token; it is written to server.json and every cookie ends",
      responses: { 200: json(Done), ...refused },
    }),
    async (c) => {
      await rotateToken();
      return c.json({ ok: true as const }, 200);
    },
  );
}

/** In the fragment, so that the code is in no request line, no log and no Referer. */
export const loginUrl = (url: string, code: string): string => `${url}/login#code=${code}`;

const wrongCode = (isFirstFew: boolean): MultiverseError =>
  isFirstFew
    ? new MultiverseError("UNAUTHORIZED", "this code is not valid", {
        hint: "Run `multiverse` in a terminal for a fresh link; each works once.",
      })
    : new MultiverseError("RATE_LIMITED", "too many wrong codes", {
        hint: "Wait a minute, then try again.",
      });
