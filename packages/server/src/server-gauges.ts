import { performance } from "node:perf_hooks";
import type { Gauge } from "./metrics.ts";
import type { Sockets } from "./socket/sockets.ts";
import type { Workspaces } from "./workspaces.ts";

/** What the server is like right now. */
export function serverGauges(workspaces: Workspaces, sockets: Sockets): () => Gauge[] {
  let last = performance.eventLoopUtilization();
  return () => {
    const { clients, heldBytes, mostHeldBytes } = sockets.counts();
    const memory = process.memoryUsage();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return [
      gauge("process_resident_memory_bytes", "Memory in use.", memory.rss),
      gauge("process_uptime_seconds", "Since the start.", process.uptime()),
      gauge("multiverse_event_loop_utilization", "0 to 1 since the last look.", utilization),
      gauge("multiverse_socket_clients", "Browsers that listen.", clients),
      gauge("multiverse_socket_held_bytes", "Bytes on their way to them.", heldBytes),
      gauge("multiverse_socket_held_bytes_max", "To the slowest of them.", mostHeldBytes),
      gauge("multiverse_workspaces_open", "Open workspaces.", workspaces.opened().length),
      ...workspaces.opened().map(({ workspace }) => ({
        ...gauge("multiverse_history_seq", "Newest fact.", workspace.state.seq),
        labels: { workspace: workspace.id },
      })),
      ...workspaces.opened().map(({ workspace }) => ({
        ...gauge("multiverse_tasks", "Tasks in the plan.", workspace.state.tasks.size),
        labels: { workspace: workspace.id },
      })),
      ...workspaces.opened().map(({ workspace }) => ({
        ...gauge("multiverse_tasks_running", "Tasks that run.", workspace.state.index.running.size),
        labels: { workspace: workspace.id },
      })),
    ];
  };
}

const gauge = (name: string, help: string, value: number): Gauge => ({ name, help, value });
