import { MultiverseError } from "@multiverse/protocol/error";

/** What planning failed with, as something a person can act on. */
export function explainFailure(error: unknown): MultiverseError {
  if (error instanceof MultiverseError) return error;
  if (error instanceof Error && error.name === "TimeoutError") return turnTooLong();
  return new MultiverseError("META_UNAVAILABLE", "The meta-agent could not be asked.", {
    hint: "`multiverse doctor` shows what is missing; the log has the details.",
    cause: error,
  });
}

export const planningStopped = (): MultiverseError =>
  new MultiverseError("CANCELED", "Planning was stopped before the plan changed.", {
    hint: "Send the message again when you want it planned.",
  });

export const turnTooLong = (): MultiverseError =>
  new MultiverseError("META_TIMEOUT", "The meta-agent did not answer in time.", {
    hint: "Send the message again, or choose a faster model in the settings.",
    retryable: true,
  });
