/** The server, and the last task that looks at the whole. */
export const TODO_SERVER_SCRIPT = String.raw`
version: 1
tasks:
  - match: '^(Serve the app|アプリを配信するサーバーを作る)$'
    delay_ms: 700
    goal:
      en: Write src/server.mjs with node:http as docs/design.md describes it, and test/server.test.mjs that talks to the running server.
      ja: docs/design.md に従って node:http で src/server.mjs を書き、動いているサーバーと通信する test/server.test.mjs を書く。
    constraints: [{ en: node:http only; files outside public/ are never served., ja: node:http だけを使い、public/ の外のファイルは決して配信しない。 }]
    acceptance_criteria:
      - description: { en: 'Adding, ticking off and removing work over HTTP', ja: 追加・完了・削除が HTTP で動く }
        type: test
        check: node --test test/server.test.mjs
      - description: { en: The server uses no dependencies, ja: サーバーは依存パッケージを使わない }
        type: quality
        check: "! grep -E '^import' src/server.mjs | grep -vE '\"(node:|\\./)'"
    runs:
      - delay_ms: 450
        say: [{ en: 'Writing the server, then testing it over real HTTP.', ja: サーバーを書いて、実際の HTTP でテストします。 }]
        files:
          src/server.mjs: |
            import { readFile } from "node:fs/promises";
            import { createServer } from "node:http";
            import { extname } from "node:path";
            import { pathToFileURL } from "node:url";
            import { openStore } from "./store.mjs";
            import { addTodo, removeTodo, setDone } from "./todo.mjs";

            const PUBLIC = new URL("../public/", import.meta.url);
            const FILES = new Map([["/", "index.html"], ["/index.html", "index.html"], ["/style.css", "style.css"], ["/app.js", "app.js"]]);
            const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript" };
            const LARGEST_BODY = 10_000;

            class Refused extends Error {
              constructor(status, message) {
                super(message);
                this.status = status;
              }
            }

            /** The page and its interface, on a store. */
            export function createApp(store) {
              return createServer((request, response) => {
                answer(store, request, response).catch((error) => {
                  const status = error instanceof Refused ? error.status : error instanceof RangeError ? 400 : 500;
                  send(response, status, { error: status === 500 ? "something went wrong" : error.message });
                });
              });
            }

            async function answer(store, request, response) {
              const { pathname } = new URL(request.url, "http://localhost");
              if (pathname === "/api/todos") return all(store, request, response);
              const id = /^\/api\/todos\/(\d{1,15})$/.exec(pathname)?.[1];
              if (id !== undefined) return one(store, Number(id), request, response);
              const file = request.method === "GET" ? FILES.get(pathname) : undefined;
              if (file === undefined) throw new Refused(404, "there is nothing here");
              response.setHeader("content-type", TYPES[extname(file)] + "; charset=utf-8");
              response.end(await readFile(new URL(file, PUBLIC)));
            }

            async function all(store, request, response) {
              if (request.method === "GET") return send(response, 200, store.todos());
              if (request.method !== "POST") throw new Refused(405, "use GET or POST");
              const { title } = await bodyOf(request);
              store.change((todos) => addTodo(todos, title));
              send(response, 201, store.todos().at(-1));
            }

            async function one(store, id, request, response) {
              if (!store.todos().some((todo) => todo.id === id)) throw new Refused(404, "there is no such todo");
              if (request.method === "DELETE") {
                store.change((todos) => removeTodo(todos, id));
                response.writeHead(204).end();
              } else if (request.method === "PATCH") {
                const { done } = await bodyOf(request);
                store.change((todos) => setDone(todos, id, done === true));
                send(response, 200, store.todos().find((todo) => todo.id === id));
              } else throw new Refused(405, "use PATCH or DELETE");
            }

            async function bodyOf(request) {
              let text = "";
              for await (const chunk of request) {
                text += chunk;
                if (text.length > LARGEST_BODY) throw new Refused(413, "that is too much");
              }
              try {
                return Object(JSON.parse(text));
              } catch {
                throw new Refused(400, "that is not JSON");
              }
            }

            function send(response, status, value) {
              response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
            }

            if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
              const port = Number(process.env.PORT ?? 3000);
              createApp(openStore("data/todos.json")).listen(port, "127.0.0.1", () => {
                console.log("Todo app: http://localhost:" + port);
              });
            }
          test/server.test.mjs: |
            import assert from "node:assert/strict";
            import { mkdtempSync, rmSync } from "node:fs";
            import { tmpdir } from "node:os";
            import { join } from "node:path";
            import { after, before, test } from "node:test";
            import { createApp } from "../src/server.mjs";
            import { openStore } from "../src/store.mjs";

            const folder = mkdtempSync(join(tmpdir(), "todo-"));
            let server;
            let base;

            before(async () => {
              server = createApp(openStore(join(folder, "todos.json")));
              await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
              base = "http://127.0.0.1:" + server.address().port;
            });
            after(() => {
              server.close();
              rmSync(folder, { recursive: true });
            });

            async function call(method, path, body) {
              const response = await fetch(base + path, { method, body: body && JSON.stringify(body) });
              const text = await response.text();
              return { status: response.status, body: text === "" ? null : JSON.parse(text) };
            }

            test("a todo can be added, ticked off and removed", async () => {
              const added = await call("POST", "/api/todos", { title: "milk" });
              assert.equal(added.status, 201);
              const path = "/api/todos/" + added.body.id;
              assert.equal((await call("PATCH", path, { done: true })).body.done, true);
              assert.deepEqual((await call("GET", "/api/todos")).body.map(({ title, done }) => [title, done]), [["milk", true]]);
              assert.equal((await call("DELETE", path)).status, 204);
              assert.deepEqual((await call("GET", "/api/todos")).body, []);
            });

            test("bad requests are refused with a reason", async () => {
              assert.equal((await call("POST", "/api/todos", { title: " " })).status, 400);
              assert.equal((await call("PATCH", "/api/todos/99", { done: true })).status, 404);
              assert.equal((await call("PUT", "/api/todos")).status, 405);
              assert.equal((await fetch(base + "/api/todos", { method: "POST", body: "{" })).status, 400);
            });

            test("nothing but the page is served", async () => {
              for (const path of ["/src/server.mjs", "/%2e%2e/package.json", "/nothing"])
                assert.equal((await fetch(base + path)).status, 404);
            });
        commands: [node --test test/server.test.mjs]
        summary: { en: 'Wrote the server; its tests pass over real HTTP.', ja: サーバーを書きました。実際の HTTP でのテストも通ります。 }

  - match: '^(Check the whole and write the README|全体を確認して README を書く)$'
    delay_ms: 700
    goal:
      en: Add package.json with start and test scripts and a README, and run all tests together.
      ja: start と test のスクリプトを持つ package.json と README を追加し、すべてのテストをまとめて実行する。
    acceptance_criteria:
      - description: { en: All tests pass together, ja: すべてのテストがまとめて通る }
        type: test
        check: node --test
      - description: { en: The README says how to start and how to test, ja: README に起動とテストの方法が書かれている }
        type: file
        check: grep -q 'npm start' README.md && grep -q 'npm test' README.md
      - description: { en: There are no dependencies, ja: 依存パッケージがない }
        type: quality
        check: "! grep -qi dependencies package.json"
    runs:
      - delay_ms: 450
        say: [{ en: Putting it together., ja: 全体をまとめます。 }]
        files:
          package.json: |
            {
              "name": "todo-app",
              "version": "1.0.0",
              "private": true,
              "type": "module",
              "engines": { "node": ">=20" },
              "scripts": {
                "start": "node src/server.mjs",
                "test": "node --test"
              }
            }
          README.md:
            en: |
              # TODO app

              A small TODO list in the browser. Plain Node, nothing to install.

                  npm start     # then open http://localhost:3000
                  npm test

              The list is kept in data/todos.json. public/index.html can also be opened as it is, without the server; the browser
              then keeps the list. docs/design.md says how it is built.
            ja: |
              # TODO アプリ

              ブラウザで使う小さな TODO リストです。Node だけで動き、インストールするものはありません。

                  npm start     # http://localhost:3000 を開く
                  npm test

              リストは data/todos.json に保存されます。サーバーなしで public/index.html を直接開くこともできます(その場合はブラウザに保存されます)。
              設計は docs/design.md にあります。
        commands: [node --test]
        summary: { en: 'All tests pass together. Start it with: npm start', ja: すべてのテストが通りました。npm start で起動できます。 }
`;
