import { mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import { openCooldownGate } from "@multiverse/agents/tooling/cooldown";
import type { CooldownGate } from "@multiverse/agents/tooling/cooldown";
import type { Env } from "../task-file/env-references.ts";

export const homeOf = (env: Env): string => env.HOME || homedir();

/** Shared by every run on this machine: one rate limit holds all of them back. */
export function openGate(env: Env): CooldownGate {
  try {
    const product = env.MULTIVERSE_HOME || join(homeOf(env), ".multiverse");
    return openCooldownGate(join(product, "cooldown"), systemClock);
  } catch {
    return openCooldownGate(mkdtempSync(join(tmpdir(), "multiverse-cooldown-")), systemClock); // no home to write to
  }
}
