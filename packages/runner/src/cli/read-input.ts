import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import { systemCode } from "@multiverse/protocol/system-code";

/** The bytes of a task, no more than one past the limit: enough to know that it is too large. */
export async function readInput(
  source: Readable,
  name: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (): void => void source.destroy();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LIMITS.taskFileBytes) break;
    }
  } catch (cause) {
    if (!signal.aborted) throw unreadable(name, cause);
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks, size);
}

/** A pipe or a device in place of the file is read like one, since `--task <(generate)` is a habit of shells. */
export const taskSource = (
  path: string | undefined,
  stdin: Readable,
): { source: Readable; name: string } =>
  path === undefined
    ? { source: stdin, name: "<stdin>" }
    : { source: createReadStream(path), name: path };

const unreadable = (name: string, cause: unknown): MultiverseError => {
  const code = systemCode(cause);
  return new MultiverseError(
    "INVALID_TASK",
    `the task ${JSON.stringify(name)} cannot be read${code && ` (${code})`}`,
    {
      hint: "Give a readable file with --task, or the YAML on stdin.",
      cause,
    },
  );
};
