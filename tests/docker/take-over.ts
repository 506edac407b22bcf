import type { RunEvent } from "@multiverse/protocol/run-event";
import { inOrder } from "../harness/scripted-model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../harness/scripted-model/server.ts";
import { addressOf, cliTask, WIRE, type CliKind } from "./cli-task.ts";

/** A model that lets one CLI begin and then limits it, and another that lets the next one finish. */
export const limitingModel = (): Promise<ScriptedModel> =>
  startScriptedModel({
    begin: inOrder({ run: "echo begun > part.txt" }, { refuse: "rate_limit" }),
    hello: inOrder(
      { write: { path: "hello.txt", content: "hello\n" } },
      { say: "Wrote hello.txt." },
    ),
  });

/** A task that is begun by one CLI, which is limited, and is to be finished by the other. */
export function takeOverTask(
  first: CliKind,
  second: CliKind,
  model: ScriptedModel,
  host: string,
): object {
  const id = `limit-${first}`;
  const sent = [
    { id, kind: first, model, host, scenario: "begin" },
    { id, kind: second, model, host, scenario: "hello" },
  ];
  const env = Object.assign(
    {},
    ...sent.map((task) => ({
      ...addressOf(task),
      [WIRE[task.kind].keyEnv]: "sk-test-0123456789",
    })),
  ) as Record<string, string>;
  const candidates = [{ tool: first }, { tool: second }];
  const tooling = {
    profiles: [{ id: "p", categories: { worker: { strategy: "priority", candidates } } }],
  };
  return cliTask({
    id,
    kind: first,
    model,
    host,
    scenario: "begin",
    worker: { env, memory: "1g" },
    runner: { tooling },
  });
}

/** Everything from the last error of the limited CLI to the start of the one that takes over. */
export function takeOverIn(events: readonly RunEvent[], first: string, second: string): RunEvent[] {
  const runs = new Set(
    events.flatMap((event) =>
      event.type === "worker" && event.tool === first ? [event.runId] : [],
    ),
  );
  const limited = events.findLastIndex(
    (event) => event.type === "worker_event" && event.kind === "error" && runs.has(event.runId),
  );
  const started = events.findIndex(
    (event) => event.type === "worker" && event.phase === "started" && event.tool === second,
  );
  if (limited === -1 || started <= limited) throw new Error(`${second} did not take over`);
  return events.slice(limited, started + 1);
}
