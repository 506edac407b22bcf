import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finish, makePlace, serveAt, type Place } from "../server/program.ts";
import { CERTIFICATE, KEY } from "./self-signed.ts";

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

interface Answer {
  readonly status: number;
  readonly cookie: string;
}

/** A request to the server whatever its certificate says. */
function ask(
  port: number,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const options = { host: "127.0.0.1", port, path, method, headers, rejectUnauthorized: false };
    const sent = request(options, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, cookie: answer.headers["set-cookie"]?.[0] ?? "" });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("with a password and TLS another machine's browser can sign in, by exact names only, and cannot guess", async () => {
  const [cert = "", key = "", password = ""] = ["cert.pem", "key.pem", "password"].map((name) =>
    join(place.root, name),
  );
  await writeFile(cert, CERTIFICATE);
  await writeFile(key, KEY);
  const flags = [
    "--host",
    "0.0.0.0",
    "--password-file",
    password,
    "--tls-cert",
    cert,
    "--tls-key",
    key,
  ];
  await writeFile(password, "short\n");
  const refused = await finish(place, [place.project, "--no-open", ...flags]);
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("12 characters")]);

  await writeFile(password, "a long enough password\n");
  const server = await serveAt(place, /ready at https:\/\/[^/]+:(\d+)\/login#code=/, [
    "--demo",
    ...flags,
  ]);
  try {
    const port = Number(/ready at https:\/\/[^/]+:(\d+)/.exec(server.output())?.[1]);
    const host = `127.0.0.1:${port}`;
    expect((await ask(port, "/api/v1/workspaces", { host })).status).toBe(401);
    expect((await ask(port, "/login", { host: `evil.example:${port}` })).status).toBe(421);
    const json = { host, "content-type": "application/json", origin: `https://${host}` };
    const login = (code: string): Promise<Answer> =>
      ask(port, "/login", json, JSON.stringify({ code }));
    expect((await login("a wrong password")).status).toBe(401);
    const { status, cookie } = await login("a long enough password");
    expect([status, cookie]).toEqual([200, expect.stringContaining("; Secure")]);
    const list = await ask(port, "/api/v1/workspaces", {
      host,
      cookie: cookie.split(";")[0] ?? "",
    });
    expect(list.status).toBe(200);
    const command = await finish(place, ["status"]);
    expect([command.code, command.output]).toEqual([
      1,
      expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    ]);
    const wrong = await Promise.all(Array.from({ length: 30 }, (_, i) => login(`guess ${i}`)));
    expect(new Set(wrong.map((answer) => answer.status))).toEqual(new Set([401, 429]));
    expect((await login("a long enough password")).status).toBe(429);
    const code = /#code=(\S+)/.exec(server.output())?.[1] ?? "";
    expect((await login(code)).status).toBe(200);
    const plainOrigin = await ask(port, "/login", { ...json, origin: `http://${host}` }, "{}");
    expect(plainOrigin.status).toBe(403);
  } finally {
    server.child.kill("SIGTERM");
    await server.exit;
  }
}, 60_000);
