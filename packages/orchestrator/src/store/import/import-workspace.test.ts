import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { statusOf } from "@multiverse/protocol/status";
import { kinds, tempWorkspace, textOf, type TempWorkspace } from "../testing/temp-workspace.ts";

let temp: TempWorkspace;
beforeEach(async () => {
  temp = await tempWorkspace();
});
afterEach(() => temp.remove());

const AT = "2025-12-11T07:00:00Z";

async function put(files: Record<string, unknown>): Promise<void> {
  for (const [path, value] of Object.entries(files)) {
    const full = join(temp.dir, path);
    await mkdir(dirname(full), { recursive: true });
    const text = path.endsWith("l") ? `${JSON.stringify(value)}\n` : JSON.stringify(value);
    await writeFile(full, text);
  }
}

const node = (id: string, more: object = {}) => ({
  node_id: id,
  wbs_id: "wbs-0001",
  name: id,
  created_at: AT,
  updated_at: AT,
  ...more,
});

/** As the earlier implementation left it: the shapes of its design document, facts without numbers. */
async function earlierWorkspace(): Promise<void> {
  await put({
    "workspace.json": {
      id: "x",
      name: "My App",
      project_root: temp.project,
      created_at: AT,
      last_opened_at: AT,
    },
    "design/wbs.json": {
      wbs_id: "wbs-0001",
      project_root: temp.project,
      created_at: AT,
      updated_at: AT,
      root_node_id: "node-root",
      node_index: [
        { node_id: "node-root", parent_id: null, children: ["node-auth", "node-ui"] },
        { node_id: "node-auth", parent_id: "node-root", children: ["node-token"] },
      ],
    },
    "design/nodes/node-auth.json": node("node-auth", {
      name: "認証機能の実装",
      summary: "ログイン",
      priority: "high",
      estimate: { story_points: 5, difficulty: "medium" },
      acceptance_criteria: ["OAuth2"],
      suggested_impl: {
        language: "go",
        framework: "gin",
        module_paths: ["internal/auth/service.go"],
      },
    }),
    "design/nodes/node-token.json": node("node-token"),
    "design/nodes/node-ui.json": node("node-ui", { dependencies: ["node-auth"] }),
    "state/tasks.json": {
      tasks: [
        {
          task_id: "task-1",
          node_id: "node-auth",
          kind: "implementation",
          status: "COMPLETED",
          created_at: AT,
          updated_at: AT,
          priority: 100,
          inputs: { goal: "do it", attempt_count: 2 },
          outputs: { status: "unknown", artifacts: {} },
        },
        {
          task_id: "task-2",
          node_id: "node-ui",
          kind: "implementation",
          status: "RUNNING",
          created_at: AT,
          updated_at: AT,
          inputs: {},
        },
      ],
      queue_meta: { last_scheduled_at: AT, next_task_id_seq: 1235 },
    },
    "state/nodes-runtime.json": {
      nodes: [
        {
          node_id: "node-auth",
          status: "implemented",
          implementation: { files: ["internal/auth/service.go"] },
          verification: { status: "passed" },
          notes: [],
        },
      ],
    },
    "state/tests.json": {
      node_tests: [
        {
          node_id: "node-auth",
          last_result: {
            status: "passed",
            test_task_id: "task-1",
            coverage: { lines: 0.7, branches: 0.6 },
            summary: "ok",
          },
        },
      ],
    },
    "tasks/task-1.jsonl": {
      id: "task-1",
      title: "認証",
      status: "SUCCEEDED",
      phaseName: "実装",
      milestone: "M1",
      wbsLevel: 3,
      createdAt: AT,
    },
    "tasks/task-2.jsonl": {
      id: "task-2",
      title: "画面",
      status: "RUNNING",
      phaseName: "検証",
      milestone: "M2",
    },
    "tasks/loose-1.jsonl": {
      id: "loose-1",
      title: "TODO アプリを作成して",
      status: "PENDING",
      dependencies: ["task-2"],
    },
    "chat/s1.jsonl": { id: "m1", sessionId: "s1", role: "user", content: "作って", timestamp: AT },
    "backlog/b1.json": {
      id: "b1",
      taskId: "task-2",
      type: "QUESTION",
      title: "どうする?",
      description: "",
      priority: 3,
      createdAt: AT,
    },
    "attempts/a1.json": {
      id: "a1",
      taskId: "task-1",
      status: "SUCCEEDED",
      startedAt: AT,
      finishedAt: AT,
    },
    "history/actions-20251211.jsonl": {
      id: "act-0001",
      at: AT,
      kind: "workspace.created",
      workspace_id: "ws-abc",
      payload: {},
    },
  });
}

it("a workspace of the earlier implementation opens with its plan, its course and its facets", async () => {
  await earlierWorkspace();
  const problems: string[] = [];
  const workspace = await temp.open({
    onProblem: (message, error) => problems.push(`${message}: ${String(error)}`),
  });
  const { state } = workspace;
  expect(problems).toEqual([]);
  expect(state.workspace?.name).toBe("My App");
  expect(state.nodes.get("node-root")?.children).toEqual(["node-auth", "node-ui", "loose-1"]);
  expect(state.nodes.get("node-token")?.parentId).toBe("node-auth");
  expect(state.nodes.get("node-auth")).toMatchObject({
    title: "認証機能の実装",
    description: "ログイン",
    effort: "medium",
    phaseName: "実装",
    milestone: "M1",
    workType: "implementation",
    domain: "auth",
    suggestedImpl: { filePaths: ["internal/auth/service.go"] },
  });
  expect(state.nodes.get("node-ui")).toMatchObject({
    phaseName: "検証",
    workType: "test",
    dependencies: ["node-auth"],
  });
  expect(state.nodes.get("loose-1")?.dependencies).toEqual(["node-ui"]);
  const statuses = [...state.tasks.values()].map((task) => [
    task.id,
    statusOf(state, task, Date.now()),
  ]);
  expect(statuses.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual([
    ["loose-1", "PENDING"],
    ["node-auth", "SUCCEEDED"],
    ["node-token", "PENDING"],
    ["node-ui", "PENDING"],
  ]);
  expect(state.tasks.get("node-auth")).toMatchObject({
    attemptCount: 2,
    goal: "do it",
    priority: 100,
  });
  expect(state.index.runnable.has("node-ui")).toBe(true);
  expect(state.nextTaskNumber).toBeGreaterThanOrEqual(1235);
  expect(state.backlog.get("b1")?.taskId).toBe("node-ui");
  expect(state.attempts.get("a1")?.taskId).toBe("node-auth");
  expect(state.sessions.get("s1")?.messages[0]?.content).toBe("作って");
  expect(kinds(await workspace.readFacts({ after: 0, limit: 10 }))).toEqual(["workspace.imported"]);
  await workspace.close();
});

it("reading happens once: opening again gives the same, and the earlier files are still there", async () => {
  await earlierWorkspace();
  const first = await temp.open();
  await first.close();
  const second = await temp.open();
  expect(textOf(second)).toBe(textOf(first));
  await second.close();
  expect(await readdir(join(temp.dir, "history"))).toContain("imported-actions-20251211.jsonl");
  expect(await readFile(join(temp.dir, "imported/tasks/task-1.jsonl"), "utf8")).toContain("認証");
});

it("what cannot be taken over is told, and the rest comes along", async () => {
  await earlierWorkspace();
  await put({
    "tasks/CON.jsonl": { id: "CON", title: "x", status: "PENDING" },
    "backlog/b2.json": { id: "b2", type: "NONSENSE" },
  });
  await writeFile(join(temp.dir, "state/tests.json"), "{half");
  const problems: string[] = [];
  const workspace = await temp.open({ onProblem: (message) => problems.push(message) });
  expect(problems.sort()).toEqual([
    '"CON" was not imported',
    "backlog/b2.json could not be imported",
    "state/tests.json could not be imported",
  ]);
  expect(workspace.state.nodes.size).toBe(5);
  await workspace.close();
});

it("a circle of dependencies or parents is undone", async () => {
  await put({
    "design/wbs.json": {
      wbs_id: "w",
      project_root: "",
      created_at: AT,
      updated_at: AT,
      root_node_id: "node-root",
      node_index: [
        { node_id: "a", parent_id: "b", children: ["b"] },
        { node_id: "b", parent_id: "a", children: ["a"] },
      ],
    },
    "design/nodes/a.json": node("a", { dependencies: ["b"] }),
    "design/nodes/b.json": node("b", { dependencies: ["a"] }),
  });
  const workspace = await temp.open();
  expect(workspace.state.nodes.get("node-root")?.children).toEqual(["a", "b"]);
  expect(["a", "b"].map((id) => workspace.state.nodes.get(id)?.dependencies)).toEqual([["b"], []]);
  await workspace.close();
});
