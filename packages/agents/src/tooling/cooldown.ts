import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@multiverse/protocol/clock";
import { systemCode } from "@multiverse/protocol/system-code";
import { z } from "zod";

/**
 * The gate that every task on this machine passes before it uses a tool with a credential. A rate limit closes it for
 * all; when its time is over, one of them is let through as a probe, and what the probe finds opens it or closes it again.
 */
export interface CooldownGate {
  /** Looks without asking for anything: when each closed gate opens (a running probe counts as closed). */
  closedUntil(key: string): Promise<Date | null>;
  /** Asks to pass. A probe has to be answered with `close`, `reopen` or `release`. */
  enter(key: string): Promise<{ open: true; probe: boolean } | { open: false; until: Date }>;
  close(key: string, until: Date): Promise<void>;
  reopen(key: string): Promise<void>;
  release(key: string): Promise<void>;
  /** The next number of a round robin that all tasks share. */
  turn(key: string): Promise<number>;
}

const Gates = z.object({
  version: z.literal(1),
  gates: z.record(z.string(), z.object({ until: z.number(), probeSince: z.number().nullable() })),
  turns: z.record(z.string(), z.int().nonnegative()),
});
type Gates = z.output<typeof Gates>;

/** A probe that nobody answered for this long has died with its process. */
const PROBE_MS = 10 * 60_000;
/** While somebody probes, the others look again after this. */
const PROBE_LOOK_MS = 5_000;
const LOCK_STALE_MS = 5_000;
const LOCK_WAIT_MS = 10_000;

export function openCooldownGate(folder: string, clock: Clock): CooldownGate {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "cooldowns.json");
  const now = (): number => clock.now().getTime();

  async function change<T>(edit: (gates: Gates) => T): Promise<T> {
    const unlock = await lock(join(folder, "cooldowns.lock"), clock);
    try {
      const gates = readGates(file);
      const before = JSON.stringify(gates);
      const result = edit(gates);
      if (JSON.stringify(gates) !== before) writeGates(file, gates);
      return result;
    } finally {
      unlock();
    }
  }

  return {
    closedUntil: async (key) => {
      const until = closedAt(readGates(file).gates[key], now());
      return until === null ? null : new Date(until);
    },
    enter: (key) =>
      change((gates) => {
        const gate = gates.gates[key];
        if (gate === undefined) return { open: true, probe: false };
        const until = closedAt(gate, now());
        if (until !== null) return { open: false, until: new Date(until) };
        gate.probeSince = now();
        return { open: true, probe: true };
      }),
    close: (key, until) =>
      change((gates) => {
        const known = gates.gates[key]?.until ?? 0;
        gates.gates[key] = { until: Math.max(known, until.getTime()), probeSince: null };
      }),
    reopen: (key) => change((gates) => void delete gates.gates[key]),
    release: (key) =>
      change((gates) => {
        const gate = gates.gates[key];
        if (gate) gate.probeSince = null;
      }),
    turn: (key) =>
      change((gates) => {
        const turn = gates.turns[key] ?? 0;
        gates.turns[key] = (turn + 1) % 1_000_000;
        return turn;
      }),
  };
}

function closedAt(gate: Gates["gates"][string] | undefined, now: number): number | null {
  if (gate === undefined) return null;
  if (gate.until > now) return gate.until;
  const isProbed = gate.probeSince !== null && now - gate.probeSince < PROBE_MS;
  return isProbed ? now + PROBE_LOOK_MS : null;
}

/** A file that cannot be read is as good as none: the worst that follows is one more refused call. */
function readGates(file: string): Gates {
  try {
    return Gates.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return { version: 1, gates: {}, turns: {} };
  }
}

function writeGates(file: string, gates: Gates): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(gates), { mode: 0o600 });
  renameSync(draft, file);
}

/** A folder is made by one process at a time; one that is older than any edit takes was left by a crash. */
async function lock(path: string, clock: Clock): Promise<() => void> {
  const giveUp = clock.monotonic() + LOCK_WAIT_MS;
  for (;;) {
    try {
      mkdirSync(path, { mode: 0o700 });
      return () => rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    if (isStale(path) || clock.monotonic() > giveUp) rmSync(path, { recursive: true, force: true });
    else await clock.sleep(10);
  }
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS;
  } catch {
    return false;
  }
}
