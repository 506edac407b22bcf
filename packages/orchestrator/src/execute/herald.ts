import type { Signal } from "@multiverse/protocol/signal";
import { giveWay } from "../store/give-way.ts";

/** Signals of one commit, with undefined wherever others may have a turn. */
type Signals = Iterator<Signal | undefined, void>;

/** Tells signals in the order of the commits: those of a small one at once, those of a large one step by step. */
export class Herald {
  private readonly tell: (signal: Signal) => void;
  private readonly waiting: Signals[] = [];
  private telling = false;

  constructor(tell: (signal: Signal) => void) {
    this.tell = tell;
  }

  announce(signals: Signals): void {
    this.waiting.push(signals);
    if (this.telling) return;
    this.telling = true;
    this.goOn();
  }

  private goOn(): void {
    let resting = false;
    try {
      for (let signals = this.waiting[0]; signals && !resting; signals = this.waiting[0]) {
        const next = signals.next();
        if (next.done) this.waiting.shift();
        else if (next.value) this.tell(next.value);
        else resting = true;
      }
    } finally {
      this.telling = resting; // also where telling failed: what follows is told all the same
    }
    if (resting) void giveWay().then(() => this.goOn());
  }
}
