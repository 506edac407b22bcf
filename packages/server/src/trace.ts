import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/**
 * One id for everything that a request or command sets going: whatever is done on its behalf, however much later, finds
 * it here, and runs and workers get it handed on.
 */
const traces = new AsyncLocalStorage<string>();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Does something under a trace id: the one the caller brought, if it is one, else a new one. */
export function traced<T>(brought: string | null, work: (traceId: string) => T): T {
  const traceId = brought !== null && UUID.test(brought) ? brought.toLowerCase() : randomUUID();
  return traces.run(traceId, () => work(traceId));
}

export const currentTrace = (): string | undefined => traces.getStore();
