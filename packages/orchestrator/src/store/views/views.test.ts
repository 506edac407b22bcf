import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  AgentsFile,
  NodeFile,
  NodesRuntimeFile,
  TasksFile,
  TestsFile,
  WbsFile,
  WorkspaceFile,
} from "@multiverse/protocol/design-files";
import { AttemptFile, ChatLine, TaskLine } from "@multiverse/protocol/entity-files";
import { BacklogItem } from "@multiverse/protocol/backlog";
import type { NewFact } from "@multiverse/protocol/fact";
import { message, nodeAndTask } from "../simulation/random-facts.ts";
import { chat, systemClock } from "../testing/test-ports.ts";
import { allFiles, tempWorkspace, type TempWorkspace } from "../testing/temp-workspace.ts";

let temp: TempWorkspace;
beforeEach(async () => {
  temp = await tempWorkspace();
});
afterEach(() => temp.remove());

const read = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(temp.dir, file), "utf8")) as unknown;
const lines = async (file: string): Promise<unknown[]> =>
  (await readFile(join(temp.dir, file), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

const AT = "2026-01-01T00:00:00.000Z";
const plan: NewFact[] = [
  ...nodeAndTask("a", "node-root", 0),
  ...nodeAndTask("b", "node-root", 1, ["a"]),
  {
    kind: "node.updated",
    payload: {
      nodeId: "a",
      changes: {
        priority: "high",
        effort: "large",
        suggestedImpl: { language: "ts", filePaths: ["src/a.ts"], constraints: [] },
        test: { command: "npm test", cwd: "." },
        description: "what it is",
      },
    },
  },
  { kind: "execution.started", payload: {} },
  {
    kind: "attempt.started",
    payload: {
      attempt: {
        id: "att-1",
        taskId: "a",
        number: 1,
        epoch: 0,
        poolId: "default",
        agentId: "agent:codex",
        tool: "codex-cli",
        model: "m",
        traceId: "t",
        startedAt: AT,
      },
    },
  },
  { kind: "task.started", payload: { taskId: "a", attemptId: "att-1" } },
  {
    kind: "backlog.added",
    payload: {
      item: {
        id: "bl-1",
        taskId: "b",
        type: "QUESTION",
        title: "?",
        description: "",
        priority: 4,
        createdAt: AT,
        metadata: {},
      },
    },
  },
  chat("m-1"),
];

it("every documented file has its documented shape", async () => {
  const workspace = await temp.open();
  workspace.setAgents([
    { agent_id: "agent:codex", kind: "code", max_parallel: 2, capabilities: ["ts"] },
  ]);
  await workspace.commit(() => plan);
  await workspace.flush();
  expect(WorkspaceFile.parse(await read("workspace.json"))).toMatchObject({
    id: workspace.id,
    project_root: temp.project,
    schema_version: 1,
  });
  expect(WbsFile.parse(await read("design/wbs.json"))).toMatchObject({
    root_node_id: "node-root",
    node_index: [
      { node_id: "node-root", parent_id: null, children: ["a", "b"] },
      { node_id: "a", parent_id: "node-root", children: [] },
      { node_id: "b", parent_id: "node-root", children: [] },
    ],
  });
  expect(NodeFile.parse(await read("design/nodes/a.json"))).toMatchObject({
    node_id: "a",
    name: "作る a",
    summary: "what it is",
    priority: "high",
    estimate: { story_points: 8, difficulty: "high" },
    suggested_impl: { language: "ts", file_paths: ["src/a.ts"], module_paths: ["src/a.ts"] },
    test: { command: "npm test", cwd: "." },
    phase_name: "実装",
  });
  expect(TasksFile.parse(await read("state/tasks.json")).tasks).toMatchObject([
    {
      task_id: "a",
      node_id: "a",
      status: "RUNNING",
      priority: 100,
      assigned_agent: "agent:codex",
      inputs: { attempt_count: 0, "facet.phase_name": "実装" },
      outputs: { status: "unknown" },
    },
    { task_id: "b", status: "PENDING", priority: 50 },
  ]);
  expect(
    NodesRuntimeFile.parse(await read("state/nodes-runtime.json")).nodes.map((n) => [
      n.node_id,
      n.status,
    ]),
  ).toEqual([
    ["a", "planned"],
    ["b", "planned"],
  ]);
  expect(AgentsFile.parse(await read("state/agents.json")).agents).toMatchObject([
    { agent_id: "agent:codex", max_parallel: 2, running_tasks: ["a"] },
  ]);
  expect(TestsFile.parse(await read("state/tests.json"))).toEqual({ node_tests: [] });
  expect(TaskLine.parse((await lines("tasks/a.jsonl")).at(-1))).toMatchObject({
    id: "a",
    status: "RUNNING",
    title: "作る a",
  });
  expect(AttemptFile.parse(await read("attempts/att-1.json"))).toMatchObject({
    status: "RUNNING",
    taskId: "a",
    tool: "codex-cli",
    result: null,
  });
  expect(BacklogItem.parse(await read("backlog/bl-1.json"))).toMatchObject({
    id: "bl-1",
    taskId: "b",
    resolvedAt: null,
  });
  expect((await lines("chat/chat-1.jsonl")).map((line) => ChatLine.parse(line).id)).toEqual([
    "m-1",
  ]);
  await workspace.close();
});

it("a failed dependency shows as BLOCKED, a waiting retry as RETRY_WAIT and then, by the clock alone, as READY", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => plan);
  const retryAt = new Date(systemClock.now().getTime() + 400).toISOString();
  await workspace.commit(() => [
    {
      kind: "task.retry_scheduled",
      payload: { taskId: "a", retryAt, reason: "again", cause: "failure" },
    },
  ]);
  const statuses = async (): Promise<string[]> =>
    TasksFile.parse(await read("state/tasks.json")).tasks.map((task) => task.status);
  await expect.poll(statuses, { timeout: 5_000 }).toEqual(["RETRY_WAIT", "PENDING"]);
  await expect.poll(statuses, { timeout: 5_000 }).toEqual(["READY", "PENDING"]);
  await workspace.commit(() => [
    { kind: "task.failed", payload: { taskId: "a", attemptId: null, reason: null, error: "no" } },
  ]);
  await expect.poll(statuses, { timeout: 5_000 }).toEqual(["FAILED", "BLOCKED"]);
  await workspace.close();
});

it("files that were spoilt, removed or added by someone are put right on opening", async () => {
  const workspace = await temp.open();
  await workspace.commit(() => plan);
  await workspace.close();
  const views = (files: Map<string, string>): [string, string][] =>
    [...files].filter(
      ([path]) =>
        /\/(design|state|tasks|attempts|backlog|chat)\//.test(path) && !path.includes(".corrupt-"),
    );
  const wanted = views(await allFiles(temp.dir));
  await writeFile(join(temp.dir, "state/tasks.json"), "");
  await writeFile(join(temp.dir, "state/tests.json"), '{"node_tests": [half');
  await writeFile(join(temp.dir, "design/nodes/stray.json"), "{}");
  await writeFile(join(temp.dir, "design/wbs.json.tmp"), "half");
  await rm(join(temp.dir, "design/nodes/a.json"));
  await rm(join(temp.dir, "chat/chat-1.jsonl"));
  await rm(join(temp.dir, "attempts/att-1.json"));
  await appendFile(join(temp.dir, "tasks/a.jsonl"), '{"id":"a","ti');
  const problems: string[] = [];
  const again = await temp.open({ onProblem: (text) => problems.push(text) });
  await again.checked();
  await again.flush();
  expect(views(await allFiles(temp.dir))).toEqual(wanted);
  expect(problems).toEqual([
    expect.stringMatching(/^state\/tests\.json could not be read and was kept as .*\.corrupt-/),
  ]);
  await again.close();
});

it("the bytes a change adds to history do not depend on the size of the plan", async () => {
  const workspace = await temp.open();
  const cost = async (id: string): Promise<number> => {
    const before = (await readFile(await temp.historyFile())).length;
    await workspace.commit(() => nodeAndTask(id, "node-root", 0));
    return (await readFile(await temp.historyFile())).length - before;
  };
  const small = await cost("x-00001");
  // Few enough that no snapshot falls due, whose own fact would count.
  await workspace.commit(() =>
    Array.from({ length: 400 }, (_, i) => nodeAndTask(`n-${i}`, "node-root", 0)).flat(),
  );
  const large = await cost("x-00002");
  expect(Math.abs(large - small)).toBeLessThan(40);
  await workspace.close();
});

it("a conversation longer than the state keeps is whole in its file, and is put together again from history", async () => {
  const workspace = await temp.open();
  for (let i = 0; i < 5; i += 1)
    await workspace.commit(() =>
      Array.from({ length: 100 }, (_, k) => message(`m-${i * 100 + k}`, "long", "x")),
    );
  await workspace.close();
  const ids = async (): Promise<string[]> =>
    (await lines("chat/long.jsonl")).map((line) => ChatLine.parse(line).id);
  const wanted = Array.from({ length: 500 }, (_, i) => `m-${i}`);
  expect(await ids()).toEqual(wanted);
  await rm(join(temp.dir, "chat/long.jsonl"));
  const again = await temp.open();
  await again.checked();
  await again.flush();
  expect(again.state.sessions.get("long")?.messages).toHaveLength(200);
  expect(await ids()).toEqual(wanted);
  await again.close();
});
