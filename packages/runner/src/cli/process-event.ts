import { startTimeOf } from "@multiverse/agents/process-group";

/** Says which process this is, so that a server that was started later can adopt the run. */
export const processEvent = (pid: number) =>
  ({
    type: "log",
    level: "info",
    message: "agent-runner started",
    fields: { pid, pid_start_time: startTimeOf(pid) ?? "" },
  }) as const;
