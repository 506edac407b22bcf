import { MultiverseError, errorBody } from "@multiverse/protocol/error";

/** What a person reads on stderr; a bug comes with everything that helps to find it. */
export const sayError = (error: unknown): string => {
  const { message, hint } = errorBody(error).error;
  const isForeseen = error instanceof MultiverseError;
  const stack = !isForeseen && error instanceof Error ? `${error.stack ?? error.message}\n` : "";
  return `agent-runner: ${message}\n  ${hint}\n${stack}`;
};
