import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/test-server.ts";
import { rawRequest } from "./raw-request.ts";

const BAD = [
  "../x",
  "a/b",
  "a\\b",
  "a\0b",
  ".git",
  "__proto__",
  "constructor",
  "CON",
  "nul.txt",
  "a..b",
  "a.",
  "e\u0301",
  "a".repeat(129),
  "a%2fb",
  "%2e%2e",
  " ",
  "-a",
  "a\nb",
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Every path below the test's own folder but those that a running server writes anyway. */
const inodes = async (): Promise<string[]> =>
  (await readdir(dirname(server.project), { recursive: true })).filter(
    (path) => !path.includes("/history/"),
  );

describe("ids that could be paths", () => {
  test("are refused in every route, and nothing appears on the disk", async () => {
    await server.open.workspace.flush();
    const before = [server.stateText(), await inodes()];
    const paths = [
      "/workspaces/ID",
      "/workspaces/ID/tasks",
      "/workspaces/WS/tasks/ID",
      "/workspaces/WS/tasks/ID/note",
      "/workspaces/WS/tasks/ID/changes",
      "/workspaces/WS/attempts/ID",
      "/workspaces/WS/attempts/ID/log",
      "/workspaces/WS/chat/ID/messages",
      "/tools/ID/models",
    ];
    for (const id of BAD)
      for (const path of paths) {
        const filled = path
          .replace("WS", server.open.workspace.id)
          .replace("ID", encodeURIComponent(id));
        const { status } = await server.api(filled);
        expect([path, id, [400, 404].includes(status)]).toEqual([path, id, true]);
      }
    expect([server.stateText(), await inodes()]).toEqual(before);
  }, 60_000);

  test("are refused in what is sent", async () => {
    const before = server.stateText();
    const { ws, post } = server;
    for (const id of BAD) {
      const answers = [
        await post(`${ws}/plan`, { operations: [{ op: "create", temp_id: id, title: "x" }] }),
        await post(`${ws}/plan`, { operations: [{ op: "delete", task_id: id }] }),
        await post(`${ws}/plan`, { operations: [{ op: "create", title: "x", parent_id: id }] }),
        await post(`${ws}/tasks`, { title: "x", dependencies: [id] }),
        await post(`${ws}/tasks`, { title: "x", poolId: id }),
        await post(`${ws}/chat/s/messages`, { text: "x", clientId: id }),
        await post(`${ws}/chat/${encodeURIComponent(id)}/messages`, { text: "x" }),
        await post(`${ws}/snapshots/${encodeURIComponent(id)}/restore`),
        await post(`${ws}/backlog/${encodeURIComponent(id)}/resolve`, { resolution: "x" }),
      ];
      const statuses = answers.map(({ status }) => status);
      expect([id, statuses.filter((status) => ![400, 404, 422].includes(status))]).toEqual([
        id,
        [],
      ]);
    }
    expect(server.stateText()).toBe(before);
  }, 60_000);

  test("are refused in the address of the events", async () => {
    for (const id of BAD) {
      const path = `/api/v1/workspaces/${encodeURIComponent(id)}/events`;
      const answer = await rawRequest(
        Number(new URL(server.url).port),
        `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAuthorization: Bearer ${server.token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      );
      expect([id, answer.status]).toEqual([id, 404]);
    }
  }, 60_000);

  test("are refused in a snapshot, also where its hash is right", async () => {
    const { post, ws, open, stateText } = server;
    await post(`${ws}/tasks`, { title: "kept" });
    const { id } = (await (await post(`${ws}/snapshots`)).json()) as { id: string };
    const file = join(open.workspace.dir, "snapshots", `${id}.json`);
    const [head = "", state = ""] = (await readFile(file, "utf8")).split(',"state":');
    const taskId = [...open.workspace.state.tasks.keys()].at(-1) ?? "";
    for (const bad of ["../../../../evil", "a/b", "__proto__", ".git", "x".repeat(129)]) {
      const forged = state.slice(0, -1).replaceAll(`"${taskId}"`, JSON.stringify(bad));
      const hash = createHash("sha256").update(forged).digest("hex");
      const named = head.replace(/"hash":"[0-9a-f]+"/, `"hash":"${hash}"`);
      await writeFile(file, `${named},"state":${forged}}`);
      await open.workspace.flush();
      const before = [stateText(), await inodes()];
      const answer = await post(`${ws}/snapshots/${id}/restore`);
      expect([bad, answer.status]).toEqual([bad, 422]);
      await open.workspace.flush();
      expect([stateText(), await inodes()]).toEqual(before);
    }
  });

  test("a key that would change every object does nothing", async () => {
    await server.api(`${server.ws}/tasks`, {
      method: "POST",
      body: '{"title":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
