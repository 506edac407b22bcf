import { constants, openSync } from "node:fs";
import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";
import type { Mask } from "@multiverse/agents/secrets";
import { createLineSink } from "./output/line-file.ts";
import type { LineSink } from "./output/line-file.ts";
import { NOTE_FOLDER, ownFolder } from "./write-note.ts";

const LARGEST = 64 * 1_048_576;

/** Keeps the whole output of each worker run in `.agent-runner/logs/`, masked and capped; the note points there. */
export function createWorkerLog(repoPath: string, taskId: string, mask: Mask) {
  let sink: LineSink | null = null;
  let written = 0;
  let count = 0;
  const name = (): string => `${NOTE_FOLDER}/logs/task-${taskId}-run-${count}.log`;
  return {
    async begin(): Promise<void> {
      count += 1;
      written = 0;
      sink = await openLog(repoPath, name());
    },
    line({ line }: Pick<OutputLine, "line">): void {
      if (!sink || written > LARGEST) return;
      const masked = mask.mask(line);
      written += masked.length + 1;
      sink.write(written > LARGEST ? "[log cut at 64 MiB]" : masked, true);
    },
    /** Where the log is, relative to the repo; null if there is none. */
    end(): string | null {
      const done = sink;
      sink = null;
      done?.close();
      return done && written > 0 ? name() : null;
    },
  };
}

async function openLog(repoPath: string, path: string): Promise<LineSink | null> {
  try {
    const folder = join(await ownFolder(repoPath), "logs");
    await mkdir(folder, { recursive: true });
    if (!(await lstat(folder)).isDirectory()) return null;
    const file = join(repoPath, path);
    await rm(file, { force: true });
    // A link that a worker left at this name must not lead our writing out of the repo.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    return createLineSink(openSync(file, flags, 0o600));
  } catch {
    return null; // a log that cannot be kept must not stop the work
  }
}
