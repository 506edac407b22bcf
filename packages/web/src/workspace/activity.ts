import type { ChatStep, Signal, SignalData } from "@multiverse/protocol/signal";

/** What runs right now, as the signals tell it; shown and forgotten. */
export interface Activity {
  readonly meta: ReadonlyMap<string, SignalData<"process:metaUpdate">>;
  readonly workers: ReadonlyMap<string, SignalData<"process:workerUpdate">>;
  readonly containers: ReadonlyMap<string, SignalData<"process:containerUpdate">>;
  /** Steps of the answer under way, by chat session. */
  readonly chat: ReadonlyMap<string, readonly ChatProgress[]>;
}

export interface ChatProgress {
  readonly step: ChatStep;
  readonly message: string;
  readonly at: string;
}

export const noActivity: Activity = {
  meta: new Map(),
  workers: new Map(),
  containers: new Map(),
  chat: new Map(),
};

const KEPT = 200;

/** The activity after some signals: the latest of each task counts. */
export function noteActivity(activity: Activity, signals: readonly Signal[]): Activity {
  const meta = new Map(activity.meta);
  const workers = new Map(activity.workers);
  const containers = new Map(activity.containers);
  const chat = new Map(activity.chat);
  for (const { signal, data } of signals) {
    if (signal === "process:metaUpdate") put(meta, data.taskId, data);
    else if (signal === "process:workerUpdate") put(workers, data.taskId, data);
    else if (signal === "process:containerUpdate") put(containers, data.taskId, data);
    else if (signal === "chat:progress") put(chat, data.sessionId, stepsAfter(chat, data));
  }
  return { meta, workers, containers, chat };
}

function stepsAfter(
  chat: ReadonlyMap<string, readonly ChatProgress[]>,
  { sessionId, step, message, timestamp }: SignalData<"chat:progress">,
): readonly ChatProgress[] {
  const before = step === "Processing" ? [] : (chat.get(sessionId) ?? []);
  return [...before.slice(-20), { step, message, at: timestamp }];
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > KEPT ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}

export const chatIsBusy = (steps: readonly ChatProgress[] | undefined): boolean => {
  const last = steps?.at(-1)?.step;
  return (
    last !== undefined &&
    last !== "Completed" &&
    last !== "Failed" &&
    last !== "AutopilotPausedForQuestion"
  );
};
