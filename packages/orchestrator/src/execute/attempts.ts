import type { Attempt } from "@multiverse/protocol/attempt";
import type { RunningProcess } from "../orchestrator.ts";
import { LiveAttempt, type Surroundings } from "./live-attempt.ts";

/** The live attempts of a workspace. */
export class Attempts {
  private readonly live = new Map<string, LiveAttempt>();
  private readonly around: Surroundings;

  constructor(around: Surroundings) {
    this.around = around;
  }

  get running(): readonly RunningProcess[] {
    return [...this.live.values()].map((entry) => entry.process);
  }

  /** The tasks of which a run goes on. */
  get taskIds(): readonly string[] {
    const going = [...this.live.values()].filter((entry) => !entry.hasEnded);
    return going.map(({ attempt }) => attempt.taskId);
  }

  start(attempt: Attempt, taskYaml: string): void {
    this.track(attempt, (entry) => entry.start(taskYaml));
  }

  adopt(attempt: Attempt): void {
    this.track(attempt, (entry) => entry.adopt());
  }

  /** Resolves when the attempt's end is recorded. */
  async stop(attemptId: string, why: "task" | "execution"): Promise<void> {
    await this.live.get(attemptId)?.stop(why);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.live.values()].map((entry) => entry.stop("execution")));
  }

  /** Stops listening; the runs go on. */
  async detach(): Promise<void> {
    await Promise.all([...this.live.values()].map((entry) => entry.detach()));
  }

  private track(attempt: Attempt, run: (entry: LiveAttempt) => Promise<void>): void {
    const entry = new LiveAttempt(attempt, this.around);
    this.live.set(attempt.id, entry);
    void run(entry).finally(() => this.live.delete(attempt.id));
  }
}
