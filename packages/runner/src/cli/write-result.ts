import { resolve } from "node:path";
import type { Mask } from "@multiverse/agents/secrets";
import { toSnake } from "@multiverse/protocol/case";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunResult } from "@multiverse/protocol/run-result";
import { writeAtomically } from "../output/atomic-file.ts";

/** The result as a file of its own, where one was asked for. */
export async function writeResult(
  path: string | undefined,
  result: RunResult,
  mask: Mask,
): Promise<void> {
  if (path === undefined) return;
  const text = `${JSON.stringify(mask.maskDeep(toSnake(result)), null, 2)}\n`;
  try {
    await writeAtomically(resolve(path), text, 0o600);
  } catch (cause) {
    throw new MultiverseError(
      "STORAGE_FAILED",
      `the result cannot be written to ${JSON.stringify(path)}`,
      {
        hint: "Choose a file in a folder that exists and that you may write to.",
        cause,
      },
    );
  }
}
