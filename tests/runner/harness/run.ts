import { MultiverseError } from "@multiverse/protocol/error";
import { resultOf } from "@multiverse/runner/result";
import { runTask } from "@multiverse/runner/run-task";
import type { ResolvedTask } from "@multiverse/runner/task-file/resolve-task";
import { aTask, fakeWorld, type Script } from "./fake-ports.ts";

/** A whole run in a world that does what the script says. */
export async function run(
  script: Script,
  change: Partial<ResolvedTask> = {},
  signal = new AbortController().signal,
) {
  const world = fakeWorld(script);
  const context = await runTask(aTask(change), world.ports, signal);
  const result = resultOf(context, null);
  return { ...world, context, result };
}

export const failed = (code: MultiverseError["code"]): MultiverseError =>
  new MultiverseError(code, `${code}!`, { hint: "do this" });
