import { chownSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ensureCliImages } from "../docker/cli-images.ts";
import { hostAddress, runEnv, WIRE } from "../docker/cli-task.ts";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { inOrder } from "../harness/scripted-model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../harness/scripted-model/server.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { newPlace, runRunner, type Place } from "../runner/harness/agent-runner.ts";
import { startTestServer } from "../server/test-server.ts";

const docker = await findDockerWithBaseImage();
const GOLDEN = "TODO アプリを作成して";
const { protocol, addressEnv, keyEnv } = WIRE["codex-cli"];

describe.skipIf(skipWithout(docker, "GT-2, a task with a real CLI in Docker"))("GT-2", () => {
  let model: ScriptedModel;
  let place: Place;
  beforeAll(async () => {
    await ensureCliImages(present(docker), ["codex-cli"]);
    model = await startScriptedModel({
      todo: inOrder(
        { write: { path: "hello.txt", content: "todo: ship it\n" } },
        { say: "Made the TODO list." },
      ),
    });
  }, 600_000);
  afterAll(() => model.close());
  beforeEach(() => {
    place = newPlace();
    chownSync(place.repo, 4_321, 4_321);
  });
  afterEach(() => place.remove());

  test(
    "GT-2: the chat's task file, agent-runner and Codex CLI in Docker give files and a result",
    { timeout: 180_000 },
    async () => {
      const task = parse(await taskFromChat()) as { task: { id: string }; runner: object };
      const host = await hostAddress(present(docker));
      const { code, result, stderr } = await runRunner(place, {
        // As the chat made it, with the scripted model in the place of the world's.
        task: {
          ...task,
          runner: {
            ...task.runner,
            meta: { kind: "mock" },
            worker: {
              kind: "codex-cli",
              memory: "1g",
              env: {
                [addressEnv]: model.baseUrl(host, protocol, "todo"),
                [keyEnv]: "sk-test-0123456789",
              },
            },
          },
        },
        env: runEnv(place),
      });
      expect(code, stderr).toBe(0);
      expect(readFileSync(join(place.repo, "hello.txt"), "utf8")).toBe("todo: ship it\n");
      expect(result()).toMatchObject({
        taskId: task.task.id,
        status: "succeeded",
        state: "COMPLETE",
        summary: expect.stringMatching(/./),
        validation: { overall: "passed" },
        artifacts: { files: ["hello.txt"], note: `.agent-runner/task-${task.task.id}.md` },
      });
      expect(existsSync(join(place.repo, `.agent-runner/task-${task.task.id}.md`))).toBe(true);
    },
  );
});

/** The Task YAML that the golden sentence becomes: through the real chat, plan and scheduler. */
async function taskFromChat(): Promise<string> {
  let heard: (yaml: string) => void = () => {};
  const yaml = new Promise<string>((resolve) => (heard = resolve));
  const server = await startTestServer({
    planPatch: async () => ({
      understanding: "A TODO app.",
      operations: [
        {
          op: "create",
          tempId: "app",
          title: GOLDEN,
          acceptanceCriteria: ["hello.txt is there"],
        },
      ],
      potentialConflicts: [],
      questions: [],
    }),
    script: (request) => {
      heard(request.taskYaml);
      return "hang";
    },
  });
  try {
    const { id } = (await (await server.post(`${server.ws}/chat`, {})).json()) as { id: string };
    await server.post(`${server.ws}/chat/${id}/messages`, { text: GOLDEN });
    return await yaml;
  } finally {
    await server.stop();
  }
}
