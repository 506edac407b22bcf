import type { Mask } from "@multiverse/agents/secrets";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import { humanLines, paintWith } from "../output/human-log.ts";
import { openLineFile } from "../output/line-file.ts";
import { eventLine } from "../output/stamp-event.ts";
import type { EventStamp } from "../output/stamp-event.ts";
import { createStatusLine } from "../output/status-line.ts";

export interface Terminal {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly columns: () => number;
}

export interface ReporterOptions {
  readonly json: boolean;
  readonly colours: boolean;
  readonly eventsPath: string | undefined;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
}

/** Where events go: stdout for a program or for a person, and a file. Nothing leaves unmasked. */
export function openReporter({ json, colours, eventsPath, stdout, stderr }: ReporterOptions) {
  let isWhole = true;
  const onFailure = (why: string): void => {
    isWhole = false;
    stderr.write(`agent-runner: events can no longer be written to ${why}\n`);
  };
  const file = eventsPath === undefined ? null : openLineFile(eventsPath, onFailure);
  const paint = paintWith(colours);
  const status =
    !json && stdout.isTerminal ? createStatusLine(stdout.write, stdout.columns, Date.now) : null;
  let isUsed = false;
  return {
    /** For programs: the file, and stdout where a program reads it. */
    tell(event: RunEventBody, at: Date, stamp: EventStamp, mask: Mask): void {
      isUsed = true;
      if (!json && !file) return;
      const line = eventLine(event, at, stamp, mask);
      file?.write(line, event.type === "output" || event.type === "worker_event");
      if (json) stdout.write(`${line}\n`);
    },
    /** For everybody. */
    emit(event: RunEventBody, at: Date, stamp: EventStamp, mask: Mask): void {
      this.tell(event, at, stamp, mask);
      if (json) return;
      const masked = mask.maskDeep(event);
      const lines = humanLines(masked, paint);
      if (lines.length > 0) this.print(`${lines.join("\n")}\n`);
      if (event.type !== "finished") status?.see(masked);
    },
    /** Whether every event is where it should be. */
    isWhole: (): boolean => isWhole,
    /** Whether anything was said yet. */
    isUsed: (): boolean => isUsed,
    /** Words for a person on stdout; none where a program reads it. */
    print(text: string): void {
      if (json) return;
      if (status) status.print(text);
      else stdout.write(text);
    },
    /** A log line: on stderr, above the status line where both share a terminal. */
    log(line: string): void {
      if (status && stderr.isTerminal) status.print("");
      stderr.write(line);
    },
    close(): void {
      status?.stop();
      file?.close();
    },
  };
}
export type Reporter = ReturnType<typeof openReporter>;
