import type { OutputLine } from "@multiverse/agents/sandbox/sandbox";

/** A call that the run has made and that is not answered yet. */
export interface Waiting<Answer> {
  readonly settle: (answer: Answer) => void;
  readonly refuse: (error: Error) => void;
  readonly onLine: (line: OutputLine) => void;
}

/** Where the run's calls wait for the player, each under its name and number. */
export function createCallDesk<Answer>() {
  const counts = new Map<string, number>();
  const waiting = new Map<string, Waiting<Answer>>();
  let tellMade = (): void => {};
  let over: Error | null = null;
  return {
    /** The name that the next call of this kind goes by: `meta.assess#2`. */
    nextName(name: string): string {
      const number = (counts.get(name) ?? 0) + 1;
      counts.set(name, number);
      return `${name}#${number}`;
    },
    wait(call: string, made: Waiting<Answer>): void {
      if (over) return made.refuse(over);
      waiting.set(call, made);
      tellMade();
    },
    find: (call: string): Waiting<Answer> | undefined => waiting.get(call),
    settle(call: string, answer: Answer): void {
      waiting.get(call)?.settle(answer);
      waiting.delete(call);
    },
    /** Resolves when the call has been made; throws `late` if the run does not make it in time. */
    async made(call: string, patienceMs: number, late: () => Error): Promise<void> {
      const deadline = performance.now() + patienceMs;
      while (!waiting.has(call)) {
        if (over) throw over;
        if (performance.now() > deadline) throw late();
        await new Promise<void>((done) => {
          const timer = setTimeout(done, 100);
          tellMade = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
    },
    /** Nothing will be answered any more: whoever asks, now or later, asks in vain. */
    close(why: Error): void {
      over ??= why;
      for (const each of waiting.values()) each.refuse(over);
    },
  };
}
