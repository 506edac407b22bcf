import { failedCallOf } from "@multiverse/agents/meta/failed-call";
import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";
import type { Mask } from "@multiverse/agents/secrets";
import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { LineSink } from "../output/line-file.ts";
import type { RunPorts } from "../run-ports.ts";
import type { RecordedReturn, RecordingEntry, RecordingHeader } from "./entry.ts";

type Recorded = Pick<RunPorts, "meta" | "worker" | "tree">;
type Write = (entry: RecordingEntry) => void;
/** Notes a call and how it ended. `act` gets a place for lines that come meanwhile. */
type Record = <T>(
  name: string,
  act: (onLine: (line: OutputLine) => void) => Promise<T>,
  keep?: boolean,
) => Promise<T>;

export interface Recorder {
  /** Notes an event of a port on its way to the run. */
  see(event: RunEventBody): void;
  /** Keeps what a model said word for word. */
  keep(entry: unknown): void;
  /** Notes that the run was stopped from outside. */
  stopped(): void;
  wrap(ports: Recorded): Recorded;
}

/** Writes down everything that comes from outside, masked, so that the run can be played again without any of it. */
export function createRecorder(
  sink: LineSink,
  header: RecordingHeader,
  mask: Mask,
  clock: Clock,
): Recorder {
  sink.write(JSON.stringify(mask.maskDeep(header)), false);
  const write: Write = (entry) =>
    sink.write(
      JSON.stringify(mask.maskDeep(entry)),
      entry.kind === "event" || entry.kind === "line",
    );
  const record = recordInto(write, clock);
  return {
    see: (event) => write({ kind: "event", event }),
    keep: (entry) => write({ kind: "raw", entry }),
    stopped: () => write({ kind: "abort" }),
    wrap: (ports) => wrapPorts(ports, record),
  };
}

function recordInto(write: Write, clock: Clock): Record {
  const started = clock.monotonic();
  const counts = new Map<string, number>();
  return async (name, act, keep = true) => {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const call = `${name}#${number}`;
    const back = (rest: Pick<RecordedReturn, "value" | "error">): void =>
      write({ kind: "return", call, at_ms: clock.monotonic() - started, ...rest });
    write({ kind: "call", call });
    try {
      const value = await act((line) => write({ kind: "line", call, ...line }));
      back(keep ? { value } : {});
      return value;
    } catch (error) {
      back({ error: errorData(error) });
      throw error;
    }
  };
}

const wrapPorts = ({ meta, worker, tree }: Recorded, record: Record): Recorded => ({
  meta: {
    planTask: (request, signal) => record("meta.planTask", () => meta.planTask(request, signal)),
    nextAction: (request, signal) =>
      record("meta.nextAction", () => meta.nextAction(request, signal)),
    assess: (request, signal) => record("meta.assess", () => meta.assess(request, signal)),
  },
  worker: {
    open: (signal) => record("worker.open", () => worker.open(signal), false),
    run: (call, signal) => record("worker.run", () => worker.run(call, signal)),
    check: (plan, signal, onLine) =>
      record("worker.check", (note) =>
        worker.check(plan, signal, (line) => {
          note(line);
          onLine(line);
        }),
      ),
    close: () => record("worker.close", () => worker.close(), false),
  },
  tree: {
    look: (signal) => record("tree.look", () => tree.look(signal), false),
    changes: (before, after, signal) =>
      record("tree.changes", () => tree.changes(before, after, signal)),
    diffStat: (before, after, signal) =>
      record("tree.diffStat", () => tree.diffStat(before, after, signal)),
  },
});

function errorData(error: unknown): NonNullable<RecordedReturn["error"]> {
  if (error instanceof MultiverseError) {
    const { code, message, hint, retryable } = error;
    const retryAt = "retryAt" in error && typeof error.retryAt === "string" ? error.retryAt : null;
    const call = failedCallOf(error);
    const data = { code, message, hint, retryable, retry_at: retryAt };
    return call === null ? data : { ...data, meta_call: call };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isAbort = error instanceof Error && error.name === "AbortError";
  return {
    code: isAbort ? "CANCELED" : "INTERNAL",
    message,
    hint: "",
    retryable: false,
    retry_at: null,
  };
}
