import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { WorkspaceApi } from "@multiverse/protocol/http/api";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { ANY_TASK, fakeCodex, putFakeCodex } from "../harness/fake-codex.ts";
import { clientOf, makePlace, workspaceOf, type Place } from "../server/program.ts";
import { workspaceDir } from "./facts.ts";

/** A home whose tasks are done by scripted workers: as processes of this machine, and one in four in containers. */
export async function makeWorld({ containers }: { containers: boolean }): Promise<Place> {
  const key = "sk-not-a-key";
  const place = await makePlace({ CODEX_API_KEY: key, OPENAI_API_KEY: key });
  const script = join(place.root, "script.yaml");
  place.env["MULTIVERSE_MOCK_SCRIPT"] = script;
  await writeFile(script, ANY_TASK);
  putFakeCodex(place.project);
  await mkdir(join(place.home, "config"), { recursive: true, mode: 0o700 });
  const config = (name: string, value: object): Promise<void> =>
    writeFile(join(place.home, "config", name), JSON.stringify(value));
  const mock = { tool: "mock", weight: 3 };
  const worker = { candidates: containers ? [mock, fakeCodex] : [mock] };
  const categories = { meta: { candidates: [{ tool: "mock" }] }, worker };
  await config("settings.json", { parallel: "always", maxParallel: 4 });
  await config("llm.json", { kind: "openai-chat" });
  await config("tooling.json", { activeProfile: "p", profiles: [{ id: "p", categories }] });
  return place;
}

/** Layers of eight, each task behind one of the layer before. */
const operations = (count: number): PlanOperation[] =>
  Array.from({ length: count }, (_, i) => ({
    op: "create",
    tempId: `t${i}`,
    title: `Step ${i}`,
    description: `Write down that step ${i} is done.`,
    dependencies: i < 8 ? [] : [`t${i - 8}`],
  }));

async function workspaceAt(place: Place): Promise<WorkspaceApi> {
  const client = await clientOf(place);
  return client.api.inWorkspace(await workspaceOf(client));
}

export async function plan(place: Place, count: number): Promise<void> {
  await (await workspaceAt(place)).changePlan(operations(count));
}

export async function start(place: Place): Promise<void> {
  await (await workspaceAt(place)).setExecution("start");
}

/** Asks for a task as another tool would. */
export async function askByFile(place: Place, taskId: string): Promise<void> {
  const dir = await workspaceDir(place.home);
  const job = { workspace_id: dir.split("/").at(-1), task_id: taskId };
  const written = join(dir, `job-${taskId}.tmp`);
  await writeFile(written, JSON.stringify(job));
  await rename(written, join(dir, "ipc/queue", `job-${taskId}.json`));
}

/** Whether every task succeeded. What was killed too often in a row is retried, as a person would. */
export async function isDone(place: Place, count: number): Promise<boolean> {
  const { tasks } = await (await workspaceAt(place)).tasks();
  const open = tasks.filter(({ status }) => status !== "SUCCEEDED");
  if (open.some(({ status }) => status === "FAILED" || status === "BLOCKED")) await retryAll(place);
  return tasks.length === count && open.length === 0;
}

async function retryAll(place: Place): Promise<void> {
  const workspace = await workspaceAt(place);
  const { items } = await workspace.backlog();
  for (const item of items)
    if (item.resolvedAt === null) await workspace.resolve(item.id, "", "retry");
}
