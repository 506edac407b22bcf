import type { Mask } from "@multiverse/agents/secrets";
import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type { RunEventBody } from "@multiverse/protocol/run-event";
import type { RunPorts } from "../run-ports.ts";
import type { LineSink } from "../output/line-file.ts";
import type { RecordedReturn, RecordingEntry, RecordingHeader } from "./entry.ts";

type Recorded = Pick<RunPorts, "meta" | "worker" | "tree">;

export interface Recorder {
  /** Notes an event of a port on its way to the run. */
  see(event: RunEventBody): void;
  wrap(ports: Recorded): Recorded;
}

/** Writes down everything that comes from outside, masked, so that the run can be played again without any of it. */
export function createRecorder(sink: LineSink, header: RecordingHeader, mask: Mask, clock: Clock): Recorder {
  const started = clock.monotonic();
  const counts = new Map<string, number>();
  const write = (entry: RecordingEntry | RecordingHeader): void =>
    sink.write(JSON.stringify(mask.maskDeep(entry)), entry.kind === "event" || entry.kind === "line");
  write(header);

  async function record<T>(name: string, keep: boolean, act: (id: string) => Promise<T>): Promise<T> {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const call = `${name}#${number}`;
    write({ kind: "call", call });
    const back = (rest: Pick<RecordedReturn, "value" | "error">): void =>
      write({ kind: "return", call, at_ms: clock.monotonic() - started, ...rest });
    try {
      const value = await act(call);
      back(keep ? { value } : {});
      return value;
    } catch (error) {
      back({ error: errorData(error) });
      throw error;
    }
  }

  return {
    see: (event) => write({ kind: "event", event }),
    wrap: ({ meta, worker, tree }) => ({
      meta: {
        planTask: (request, signal) => record("meta.planTask", true, () => meta.planTask(request, signal)),
        nextAction: (request, signal) => record("meta.nextAction", true, () => meta.nextAction(request, signal)),
        assess: (request, signal) => record("meta.assess", true, () => meta.assess(request, signal)),
      },
      worker: {
        open: (signal) => record("worker.open", false, () => worker.open(signal)),
        run: (call, signal) => record("worker.run", true, () => worker.run(call, signal)),
        check: (plan, signal, onLine) =>
          record("worker.check", true, (call) =>
            worker.check(plan, signal, (output) => {
              write({ kind: "line", call, ...output });
              onLine(output);
            }),
          ),
        close: () => record("worker.close", false, () => worker.close()),
      },
      tree: {
        look: (signal) => record("tree.look", false, () => tree.look(signal)),
        changes: (before, after, signal) => record("tree.changes", true, () => tree.changes(before, after, signal)),
        diffStat: (before, after, signal) => record("tree.diffStat", true, () => tree.diffStat(before, after, signal)),
      },
    }),
  };
}

function errorData(error: unknown): NonNullable<RecordedReturn["error"]> {
  if (error instanceof MultiverseError) {
    const { code, message, hint, retryable } = error;
    const retryAt = "retryAt" in error && typeof error.retryAt === "string" ? error.retryAt : null;
    return { code, message, hint, retryable, retry_at: retryAt };
  }
  const message = error instanceof Error ? error.message : String(error);
  const isAbort = error instanceof Error && error.name === "AbortError";
  return { code: isAbort ? "CANCELED" : "INTERNAL", message, hint: "", retryable: false, retry_at: null };
}
