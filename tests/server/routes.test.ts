import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runResult } from "@multiverse/orchestrator/testing/fake-runs";
import { describe, expect, test } from "vitest";
import { jsonOf, ownServer } from "./own-server.ts";

const start = ownServer();

describe("workspaces", () => {
  test("several are open at once, and the recent list names them, the last opened first", async () => {
    const { api, post, project, open } = await start();
    const other = `${project}-two`;
    const second = await jsonOf(post("/workspaces", { path: other }));
    const { workspaces } = await jsonOf(api("/workspaces"));
    expect(workspaces).toMatchObject([
      { id: second["id"], name: "project-two", projectRoot: other, open: true, damage: null },
      { id: open.workspace.id, name: "project", projectRoot: project, open: true },
    ]);
  });

  test("a forgotten one is off the list, its files stay, and opening the folder brings it back", async () => {
    const { api, post, ws, project } = await start();
    await post(`${ws}/tasks`, { title: "kept" });
    expect((await api(ws, { method: "DELETE" })).status).toBe(200);
    expect(await jsonOf(api("/workspaces"))).toEqual({ workspaces: [] });
    expect((await api(ws)).status).toBe(404);
    await post("/workspaces", { path: project });
    const { tasks } = await jsonOf(api(`${ws}/tasks`));
    expect(tasks).toMatchObject([{ title: "kept" }]);
  });

  test.each(["relative/path", "/nowhere/at/all/deep", "/", "/proc/version"])(
    "%s is refused as a project folder",
    async (path) => {
      const { post } = await start();
      const answer = await post("/workspaces", { path });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: "INVALID_INPUT" } });
    },
  );

  test("the home of the product itself cannot be a project", async () => {
    const { post, home } = await start();
    expect((await post("/workspaces", { path: join(home.root, "config") })).status).toBe(400);
  });
});

describe("the plan", () => {
  test("a task that was added runs on request and shows its result", async () => {
    const { api, post, ws } = await start({
      script: (request) => ({ result: runResult(request.taskId, { summary: "written" }) }),
    });
    const created = await post(`${ws}/tasks`, { title: "Write it", acceptanceCriteria: ["it is"] });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    expect((await post(`${ws}/tasks/${id}/run`)).status).toBe(200);
    await expect
      .poll(() => jsonOf(api(`${ws}/tasks/${id}`)))
      .toMatchObject({ status: "SUCCEEDED", outcome: { summary: "written" } });
    const { attempts } = await jsonOf(api(`${ws}/tasks/${id}/attempts`));
    expect(attempts).toMatchObject([{ taskId: id, number: 1, status: "SUCCEEDED" }]);
  });

  test("a task goes to the pool that was named", async () => {
    const { post, ws } = await start();
    const created = await post(`${ws}/tasks`, { title: "Test it", poolId: "test" });
    expect(await created.json()).toMatchObject({ poolId: "test", status: "PENDING" });
  });

  test("operations change it by hand, and undo takes the last change back", async () => {
    const { api, post, ws } = await start();
    const changed = await post(`${ws}/plan`, {
      operations: [
        { op: "create", temp_id: "a", title: "A" },
        { op: "create", temp_id: "b", title: "B", dependencies: ["a"] },
      ],
    });
    expect(changed.status).toBe(200);
    const { created } = (await changed.json()) as { created: string[] };
    const { tasks } = await jsonOf(api(`${ws}/tasks`));
    expect(tasks).toMatchObject([{ title: "A" }, { title: "B", dependencies: [created[0]] }]);
    expect((await post(`${ws}/plan/undo`)).status).toBe(200);
    expect(await jsonOf(api(`${ws}/tasks`))).toMatchObject({ tasks: [] });
  });

  test("a patch with a cycle is refused as a whole", async () => {
    const { post, ws, stateText } = await start();
    const before = stateText();
    const answer = await post(`${ws}/plan`, {
      operations: [
        { op: "create", temp_id: "a", title: "A", dependencies: ["b"] },
        { op: "create", temp_id: "b", title: "B", dependencies: ["a"] },
      ],
    });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: { code: "PATCH_REFUSED" } });
    expect(stateText()).toBe(before);
  });
});

describe("chat", () => {
  test("a message is kept, planned and answered", async () => {
    const { api, post, ws } = await start({
      planPatch: async (_, { userInput }) => ({
        understanding: `you want ${userInput}`,
        operations: [{ op: "create", tempId: "t", title: "Do it" }],
        potentialConflicts: [],
        questions: [],
      }),
    });
    const session = (await (await post(`${ws}/chat`)).json()) as { id: string };
    const sent = await post(`${ws}/chat/${session.id}/messages`, { text: "a page" });
    expect(sent.status).toBe(202);
    await expect
      .poll(async () => (await jsonOf(api(`${ws}/tasks`)))["tasks"])
      .toMatchObject([{ title: "Do it", status: "SUCCEEDED" }]);
    const { messages } = await jsonOf(api(`${ws}/chat/${session.id}/messages`));
    expect(messages).toMatchObject([
      { role: "user", content: "a page" },
      { role: "assistant", generatedTasks: [expect.any(String)] },
    ]);
    expect(await jsonOf(api(`${ws}/chat`))).toMatchObject({ sessions: [{ id: session.id }] });
  });
});

describe("history", () => {
  test("facts come in pages, the state as it was can be asked for, snapshots are taken and restored", async () => {
    const { api, post, ws } = await start();
    await post(`${ws}/tasks`, { title: "one" });
    const { id } = await jsonOf(post(`${ws}/snapshots`));
    const { seq } = await jsonOf(api(`${ws}/state`));
    await post(`${ws}/tasks`, { title: "two" });
    const { facts } = await jsonOf(api(`${ws}/history?after=0&limit=2`));
    expect(facts).toMatchObject([{ seq: 1, kind: "workspace.created" }, { seq: 2 }]);
    const past = await jsonOf(api(`${ws}/state?at=${String(seq)}`));
    expect(past).toMatchObject({ seq, state: { tasks: [{ id: expect.any(String) }] } });
    expect(await jsonOf(api(`${ws}/snapshots`))).toMatchObject({ snapshots: [{ id }] });
    expect((await post(`${ws}/snapshots/${String(id)}/restore`)).status).toBe(200);
    const { tasks } = await jsonOf(api(`${ws}/tasks`));
    expect(tasks).toMatchObject([{ title: "one" }]);
  });
});

describe("a snapshot that someone tampered with", () => {
  test("is refused before anything changes", async () => {
    const { post, ws, open, stateText } = await start();
    await post(`${ws}/tasks`, { title: "one" });
    const { id } = await jsonOf(post(`${ws}/snapshots`));
    const file = join(open.workspace.dir, "snapshots", `${String(id)}.json`);
    await writeFile(file, (await readFile(file, "utf8")).replace('"one"', '"two"'));
    const before = stateText();
    const answer = await post(`${ws}/snapshots/${String(id)}/restore`);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: { code: "SNAPSHOT_DAMAGED" } });
    expect(stateText()).toBe(before);
  });
});

describe("the rest", () => {
  test("doctor, metrics, pools, processes, execution, backlog and folders answer", async () => {
    const { api, ws, project } = await start();
    await mkdir(join(project, "inner"));
    const { checks } = await jsonOf(api("/doctor"));
    expect(checks).toContainEqual(expect.objectContaining({ id: "node", status: "ok" }));
    expect(await (await api("/metrics")).text()).toContain("multiverse_workspaces_open 1");
    expect(await jsonOf(api(`${ws}/pools`))).toMatchObject({ pools: [{ id: "default" }, {}, {}] });
    expect(await jsonOf(api(`${ws}/processes`))).toEqual({ processes: [] });
    expect(await jsonOf(api(`${ws}/execution`))).toMatchObject({ status: "IDLE" });
    expect(await jsonOf(api(`${ws}/backlog`))).toEqual({ items: [] });
    const { folders } = await jsonOf(api(`/folders?prefix=${encodeURIComponent(`${project}/in`)}`));
    expect(folders).toEqual([join(project, "inner")]);
  });

  test("the OpenAPI document is 3.1 and names every route", async () => {
    const { api } = await start();
    const document = await jsonOf(api("/openapi.json"));
    expect(document).toMatchObject({ openapi: "3.1.0" });
    expect(Object.keys(document["paths"] ?? {}).length).toBeGreaterThan(35);
  });
});
