/** The flag under which agent-runner is its own demo worker. */
export const DEMO_WORKER_FLAG = "--demo-worker";

/** The demo agent's settings as they stand in the environment, which comes in as data. */
export interface DemoSettings {
  readonly scriptPath: string | null;
  /** All delays are multiplied by this: 1 is a pace people can follow, 0 is no delay at all. */
  readonly delayFactor: number;
}

export function demoSettings(env: Readonly<Record<string, string | undefined>>): DemoSettings {
  return {
    scriptPath: env["MULTIVERSE_MOCK_SCRIPT"] || null,
    delayFactor: delayFactor(env["MULTIVERSE_DEMO_DELAY"]),
  };
}

/** Nonsense counts as 1. */
export function delayFactor(text: string | undefined): number {
  const factor = text === undefined || text === "" ? 1 : Number(text);
  return Number.isFinite(factor) && factor >= 0 ? factor : 1;
}
