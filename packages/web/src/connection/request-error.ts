/** A request that did not work, in the words of the server, or in ours when it could not be reached. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string;
  readonly hint: string;
  readonly status: number;

  constructor(code: string, message: string, hint: string, status: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.status = status;
  }
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof RequestError && error.status === 401;
