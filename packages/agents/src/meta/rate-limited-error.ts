import { MultiverseError } from "@multiverse/protocol/error";

/** The provider will not answer for now. `retryAt` (ISO) is when it said it would, so that others can be asked meanwhile. */
export class RateLimitedError extends MultiverseError {
  readonly retryAt: string | null;

  constructor(message: string, retryAt: string | null, retryable = true) {
    const hint =
      retryAt === null
        ? "Wait a while, or choose another tool or model in the tooling settings."
        : `It can be asked again at ${retryAt}; or choose another tool or model in the tooling settings.`;
    super("RATE_LIMITED", message, { hint, retryable });
    this.retryAt = retryAt;
  }
}

export const canceled = (): MultiverseError =>
  new MultiverseError("CANCELED", "the call was canceled", {
    hint: "Start it again if it is still wanted.",
  });
