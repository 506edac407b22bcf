import type { Clock, NewId } from "@multiverse/protocol/clock";
import type { NewFact } from "@multiverse/protocol/fact";

/** The real clock and counted ids. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
    }),
};

export function testPorts(): { clock: Clock; newId: NewId } {
  let count = 0;
  return { clock: systemClock, newId: (prefix) => `${prefix}-${(count += 1)}` };
}

export const chat = (id: string, content = "hello"): NewFact => ({
  kind: "chat.message",
  payload: {
    message: {
      id,
      sessionId: "chat-1",
      role: "user",
      content,
      timestamp: "2026-01-01T00:00:00.000Z",
      generatedTasks: [],
      questions: [],
    },
  },
});
