import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";
import { RunResult } from "./run-result.ts";

/** A file another tool puts into ipc/queue/ to ask for one task to run now. */
export const JobFile = z.object({
  workspace_id: Id,
  task_id: Id,
  id: Id.optional(),
  pool_id: Id.optional(),
});
export type JobFile = Camel<z.output<typeof JobFile>>;

/** What ipc/results/<job>.json holds: the result and where it came from. */
export const JobResult = RunResult.extend({ job_id: Id, attempt_id: Id });
export type JobResult = Camel<z.output<typeof JobResult>>;
