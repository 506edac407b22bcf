import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Gauge } from "./metrics.ts";
import type { Sockets } from "./socket/sockets.ts";
import type { Workspaces } from "./workspaces.ts";

/** What the server is like right now. */
export function serverGauges(workspaces: Workspaces, sockets: Sockets): () => Gauge[] {
  const delay = monitorEventLoopDelay({ resolution: 50 });
  delay.enable();
  return () => {
    const { clients, heldBytes } = sockets.counts();
    const memory = process.memoryUsage();
    return [
      gauge("process_resident_memory_bytes", "Memory in use.", memory.rss),
      gauge("process_uptime_seconds", "Since the start.", process.uptime()),
      gauge("multiverse_event_loop_delay_seconds", "99th percentile.", delay.percentile(99) / 1e9),
      gauge("multiverse_socket_clients", "Browsers that listen.", clients),
      gauge("multiverse_socket_held_bytes", "Bytes on their way to them.", heldBytes),
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
