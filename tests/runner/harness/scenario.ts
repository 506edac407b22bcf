import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunResult } from "@multiverse/protocol/run-result";
import { afterAll, expect } from "vitest";
import {
  startScriptedOpenAi,
  type Script,
  type ScriptedAnswer,
} from "../../harness/scripted-openai.ts";
import { newPlace, runRunner, type Ended, type Place } from "./agent-runner.ts";
import { HELLO, assessment, helloCheck, planned, worker } from "./model-answers.ts";

const places: Place[] = [];
/** A place that goes when the tests are over. */
export const keep = (place: Place): void => void places.push(place);
afterAll(() => places.forEach(({ remove }) => remove()));

export const task = (change: object = {}, runner: object = {}): object => ({
  version: 1,
  task: {
    id: "TASK-1",
    title: "Hello",
    prd: { text: "Write hello.txt that says hello." },
    ...change,
  },
  runner: {
    max_loops: 3,
    meta: { kind: "openai-chat", model: "scripted" },
    worker: { kind: "mock" },
    ...runner,
  },
});

export interface Played extends Ended {
  readonly place: Place;
  readonly requests: number;
  readonly asked: unknown[];
}

/** One run of the program as it ships against a model that says what the script says. */
export async function play(
  script: Script,
  yaml: object = task(),
  env: Record<string, string> = {},
): Promise<Played> {
  const place = newPlace();
  keep(place);
  const model = await startScriptedOpenAi(script);
  try {
    const settings = {
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-scripted-key-0123456789",
      ...env,
    };
    const ended = await runRunner(place, { task: yaml, env: settings });
    return {
      ...ended,
      place,
      requests: model.requests.length,
      asked: model.requests.map(({ body }) => body),
    };
  } finally {
    await model.close();
  }
}

export const says = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => ({ text }));

export function expectEnd(played: Played, code: number, result: Partial<RunResult>): RunResult {
  expect(played.result()).toMatchObject(result);
  expect(played.code).toBe(code);
  expect(played.events.filter(({ type }) => type === "finished")).toHaveLength(1);
  expect(existsSync(join(played.place.repo, ".agent-runner/task-TASK-1.md"))).toBe(true);
  return played.result();
}

export const GOOD = [planned(helloCheck), worker(HELLO), assessment(true)];
