import { writeSync } from "node:fs";
import { createRuns } from "@multiverse/server/run-task";

/** A program that does nothing but start one run, for tests that kill it: `starter <workspace folder> <runner>`. */
const [dir = "", runnerPath = ""] = process.argv.slice(2);
const runs = createRuns({
  dir,
  workspaceId: "ws",
  projectRoot: dir,
  runnerPath,
  env: {},
  runEnv: () => ({}),
  logCapBytes: () => 1_048_576,
});
await runs.start({
  attemptId: "att-1",
  taskId: "task-1",
  epoch: 0,
  traceId: "trace-1",
  taskYaml: "version: 1\n",
});
writeSync(1, "started\n");
process.exit(0);
