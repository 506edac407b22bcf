import { afterEach } from "vitest";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { createMetaAgent } from "@multiverse/agents/meta/create-meta-agent";
import { fakeRuns, runResult, type FakeRuns } from "@multiverse/orchestrator/testing/fake-runs";
import { fastClock, openFixture, type Fixture } from "@multiverse/orchestrator/testing/fixture";
import {
  startScriptedOpenAi,
  type ScriptedAnswer,
  type ScriptedOpenAi,
} from "../harness/scripted-openai.ts";

/** What the model is told by one request, as one text. */
export type Told = string;

export interface Conversation extends Fixture {
  readonly model: ScriptedOpenAi;
  /** Sends a message and waits for its answer in the chat. */
  say(text: string): Promise<string>;
  /** Everything the model was told, request by request. */
  told(): Told[];
}

const open: Conversation[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((conversation) => conversation.close()));
});

/** The real planner (prompts, HTTP client, reading of answers) in front of a scripted model, and the real store behind. It is closed after the test. */
export async function converse(
  script: (told: Told, index: number) => ScriptedAnswer,
  runs: FakeRuns = fakeRuns(({ taskId }) => ({ result: runResult(taskId) })),
): Promise<Conversation> {
  const model = await startScriptedOpenAi((request, index) =>
    script(JSON.stringify(request.body), index),
  );
  const clock = fastClock();
  const agent = createMetaAgent({
    kind: "openai-chat",
    model: "scripted",
    baseUrl: model.baseUrl,
    env: { OPENAI_API_KEY: "sk-scripted" },
    timeoutSec: 1,
    clock,
  });
  const fixture = await openFixture({
    runs,
    clock,
    plan: async (request, signal) => (await agent.planPatch(request, signal)).answer,
  });
  const messages = () => fixture.workspace.state.sessions.get("s1")?.messages ?? [];
  const conversation: Conversation = {
    ...fixture,
    model,
    async say(text) {
      const { messageId } = await fixture.orchestrator.sendMessage("s1", text);
      const reply = () => messages().find(({ id }) => id === `${messageId}-re`)?.content;
      await fixture.until(`the answer to ${text}`, () => reply() !== undefined);
      return reply() ?? "";
    },
    told: () => model.requests.map(({ body }) => JSON.stringify(body)),
    async close() {
      await fixture.close();
      await model.close();
    },
  };
  open.push(conversation);
  return conversation;
}

/** A plan_patch answer as a model writes it. */
export const patch = (payload: object): ScriptedAnswer => ({
  text: JSON.stringify({ type: "plan_patch", version: 1, payload }),
});

/** The top of the plan, in order. */
export const titles = (state: WorkspaceState): string[] =>
  (state.nodes.get("node-root")?.children ?? []).map((id) => state.nodes.get(id)?.title ?? id);

export const allDone = (state: WorkspaceState): boolean =>
  state.tasks.size > 0 && [...state.tasks.values()].every((task) => task.progress === "succeeded");
