import type { ExecPlan } from "../sandbox/sandbox.ts";

/** The slowest CLI takes seconds to start where nothing is cached. */
const TIMEOUT_SEC = 60;

/** `COMMAND --version`: the cheapest call that shows that a CLI works. */
export const versionPlan = (command: string, env: ExecPlan["env"] = {}): ExecPlan => ({
  command,
  args: ["--version"],
  env,
  workdir: "/",
  stdin: "",
  timeoutSec: TIMEOUT_SEC,
  idleTimeoutSec: 0,
});
