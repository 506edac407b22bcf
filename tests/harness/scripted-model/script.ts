/** What the scripted model does with one request, whichever protocol it came by. */
export type Reply =
  | { readonly say: string }
  /** Has a shell command run by the CLI's own tool. */
  | { readonly run: string }
  /** Has a file written by the CLI's own tool for that, where it has one. */
  | { readonly write: { readonly path: string; readonly content: string } }
  /** Refuses as the provider would. */
  | { readonly refuse: Refusal; readonly retryAfterSec?: number }
  /** Begins to answer and never ends. */
  | { readonly hang: true }
  /** Begins to answer and breaks the connection. */
  | { readonly cut: true };

export type Refusal = "rate_limit" | "quota" | "login" | "server" | "bad_request";

export type Protocol = "openai" | "anthropic" | "gemini";

/** What the CLI asked. */
export interface Turn {
  readonly protocol: Protocol;
  readonly model: string;
  /** The last message of the person. */
  readonly prompt: string;
  /** Tool results that have come back since. */
  readonly results: number;
  /** Side questions of a CLI (titles, topics) come without tools. */
  readonly hasTools: boolean;
}

export type Scenario = (turn: Turn) => Reply;

/** Does these in order, one for each time a tool's result comes back, then repeats the last one. */
export const inOrder =
  (...replies: readonly [Reply, ...Reply[]]): Scenario =>
  ({ results }) =>
    replies[Math.min(results, replies.length - 1)] ?? replies[0];

export const STATUS: Readonly<Record<Refusal, number>> = {
  rate_limit: 429,
  quota: 429,
  login: 401,
  server: 500,
  bad_request: 400,
};

/** What every answer of the model is said to have cost. */
export const COST = { input: 1_234, cached: 1_000, output: 56 } as const;
