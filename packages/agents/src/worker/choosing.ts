import { MultiverseError } from "@multiverse/protocol/error";
import type { WorkerCall } from "@multiverse/protocol/meta/next-action";
import type { Candidate } from "@multiverse/protocol/tooling";
import { loginMissing } from "../login.ts";
import { createChooser, type Chooser } from "../tooling/chooser.ts";
import { choiceOf, cliFor, loginFor, needsLogin, sandboxKindFor } from "./candidates.ts";
import type { WorkerOptions } from "./worker-options.ts";

export type Asked = Pick<WorkerCall, "workerType"> | null;

export function chooserFor(options: WorkerOptions, asked: Asked): Chooser {
  return createChooser({
    choice: choiceOf(options, asked),
    problemWith: (candidate) => Promise.resolve(problemWith(options, candidate)),
    credentialOf: (candidate) => loginFor(options, candidate)?.credential ?? "none",
    gate: options.gate,
    random: options.random,
    clock: options.clock,
  });
}

/** Why a candidate cannot be had here; it is passed over in silence as long as another one can. */
export function problemWith(options: WorkerOptions, candidate: Candidate): string | null {
  try {
    const cli = cliFor(options, candidate);
    sandboxKindFor(options, candidate);
    if (needsLogin(cli) && loginFor(options, candidate) === null) return loginMissing(cli).message;
    return null;
  } catch (error) {
    if (error instanceof MultiverseError) return error.message;
    throw error;
  }
}

/** Nobody can be used, and no waiting will change that: the first candidate's own error says why. */
export function whyNobody(options: WorkerOptions, asked: Asked): MultiverseError {
  const [first] = choiceOf(options, asked).candidates;
  if (first === undefined) throw new Error("a choice without candidates");
  const cli = cliFor(options, first);
  sandboxKindFor(options, first);
  return loginMissing(cli);
}
