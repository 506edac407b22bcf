import type { RunEventBody } from "@multiverse/protocol/run-event";
import { oneLine } from "./plain-text.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK_MS = 120;
const CLEAR = "\r\u001b[2K";

/** The last line of a terminal, saying what is going on right now; everything else is printed above it. */
export function createStatusLine(
  write: (text: string) => void,
  columns: () => number,
  now: () => number,
) {
  const started = now();
  let activity = "";
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    frame = (frame + 1) % FRAMES.length;
    const elapsed = Math.round((now() - started) / 1_000);
    write(
      `${CLEAR}${oneLine(`${FRAMES[frame] ?? ""} ${elapsed} s  ${activity}`, Math.max(10, columns() - 1))}`,
    );
  };
  return {
    see(event: RunEventBody): void {
      activity = activityOf(event) ?? activity;
      timer ??= setInterval(draw, TICK_MS).unref();
    },
    /** Prints whole lines above the status line. */
    print(lines: string): void {
      write(timer ? `${CLEAR}${lines}` : lines);
    },
    stop(): void {
      if (timer) write(CLEAR);
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function activityOf(event: RunEventBody): string | undefined {
  switch (event.type) {
    case "state":
      return event.to;
    case "meta":
      return event.phase === "completed" ? "" : `asking the meta-agent (${event.call})`;
    case "container":
      return event.phase === "stopped" ? "" : `sandbox ${event.phase}`;
    case "worker":
      return event.phase === "started" ? `worker ${event.tool}` : "";
    case "worker_event":
      return `worker: ${event.text}`;
    case "log":
      return undefined;
    case "output":
      return event.line.startsWith("{") ? undefined : event.line; // a CLI's own events are shown as what they mean
    case "test":
    case "criteria":
    case "finished":
      return "";
  }
}
