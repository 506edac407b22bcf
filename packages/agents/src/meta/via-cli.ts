import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import type { AgentCli, CliFailure, CliOutcome } from "../cli/agent-cli.ts";
import { runProcess } from "../exec.ts";
import { findLogin, loginMissing, type FoundLogin } from "../login.ts";
import type { ExecPlan, ExecResult } from "../sandbox/sandbox.ts";
import { isSecretName } from "../secrets.ts";
import type { Provider, ProviderReply, ProviderRequest } from "./provider.ts";
import { canceled, RateLimitedError } from "./rate-limited-error.ts";

export interface ViaCliOptions {
  readonly cli: AgentCli;
  readonly model: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cliPath: string | null;
  readonly flags: readonly string[];
  readonly timeoutSec: number;
  readonly now: () => Date;
}

/** A whole answer comes in one line of the event stream, with every quote in it escaped. */
const LINE_LIMIT = 2 * LIMITS.metaAnswerBytes + 65_536;

/** A coding CLI as a meta-agent: on this machine, read-only, in an empty folder, with its own login. */
export function viaCli(options: ViaCliOptions): Provider {
  const { cli, model } = options;
  const once = async (request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply> => {
    const login = findLogin(cli, { home: homeOf(options), hostEnv: options.env, taskEnv: {} });
    if (login === null) throw loginMissing(cli);
    const scratch = mkdtempSync(join(tmpdir(), "multiverse-meta-"));
    try {
      const plan = planOf(options, request, login, scratch);
      const { result, outcome } = await run(plan, options, scratch, signal);
      if (signal.aborted) throw canceled();
      if (!outcome.succeeded) throw failed(cli, result, outcome.failure);
      const { summary: text, structured, usage } = outcome;
      return { text, structured: structured ?? undefined, usage };
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  };
  let isSchemaTaken = true;
  return {
    kind: cli.kind,
    model,
    schemaForm: cli.schemaForm ?? "strict",
    async ask(request, signal) {
      const schema = isSchemaTaken ? request.schema : null;
      try {
        return await once({ ...request, schema }, signal);
      } catch (error) {
        if (schema === null || !isAboutSchema(error)) throw error;
        // A server that takes no schema, or not this one: the prompt says the same, and the answer is checked anyway.
        isSchemaTaken = false;
        return once({ ...request, schema: null }, signal);
      }
    },
  };
}

const isAboutSchema = (error: unknown): boolean =>
  error instanceof MultiverseError &&
  error.code === "META_UNAVAILABLE" &&
  /schema|response_format|text\.format/i.test(error.message);

function planOf(
  options: ViaCliOptions,
  request: ProviderRequest,
  login: FoundLogin,
  scratch: string,
): ExecPlan {
  const { cli, env } = options;
  const workdir = join(scratch, "empty");
  const home = join(scratch, "home");
  mkdirSync(workdir);
  for (const [path, content] of Object.entries(cli.homeFiles(Object.keys(login.env)))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content, { mode: 0o600 });
  }
  const outputSchemaFile = join(scratch, "answer-schema.json");
  if (request.schema !== null) writeFileSync(outputSchemaFile, JSON.stringify(request.schema));
  return cli.plan({
    prompt: promptOf(request),
    model: options.model,
    mode: "exec",
    sessionId: null,
    reasoningEffort: request.effort,
    cliPath: options.cliPath,
    flags: options.flags,
    env: login.env,
    workdir,
    place: "host-read-only",
    outputSchema: request.schema,
    ...(request.schema === null ? {} : { outputSchemaFile }),
    baseUrl: (cli.baseUrlEnv && env[cli.baseUrlEnv]) || null,
    timeoutSec: options.timeoutSec,
    idleTimeoutSec: 0,
    toolSpecific: {},
    home,
  });
}

/** A CLI takes one text; what was said before is told as such. */
function promptOf({ system, messages }: ProviderRequest): string {
  const parts = messages.map(({ role, text }) =>
    role === "user" ? text : `Your earlier answer:\n${text}`,
  );
  return [system, ...parts].join("\n\n");
}

async function run(
  plan: ExecPlan,
  { cli, env, now }: ViaCliOptions,
  cwd: string,
  signal: AbortSignal,
): Promise<{ result: ExecResult; outcome: CliOutcome }> {
  const parser = cli.parser(now);
  const enough = new AbortController();
  const result = await runProcess(
    { ...plan, lineLimit: LINE_LIMIT },
    {
      signal: AbortSignal.any([signal, enough.signal]),
      cwd,
      env: withoutSecrets(env),
      onLine(line) {
        parser.feed(line);
        if (parser.waitingFor?.()) enough.abort();
      },
    },
  );
  const outcome = parser.end(result.exitCode);
  const waited = parser.waitingFor?.() ?? null;
  return { result, outcome: waited ? { ...outcome, succeeded: false, failure: waited } : outcome };
}

/** The CLI gets its own login through the plan; keys of others are none of its business. */
function withoutSecrets(env: ViaCliOptions["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || isSecretName(name) ? [] : [[name, value]],
    ),
  );
}

const homeOf = ({ env }: ViaCliOptions): string => env["HOME"] || homedir();

function failed(
  cli: AgentCli,
  { end, exitCode }: ExecResult,
  failure: CliFailure | null,
): MultiverseError {
  if (end === "timeout" || end === "idle_timeout")
    return new MultiverseError("META_TIMEOUT", `${cli.kind} gave no answer in time`, {
      hint: "Try again, or choose another tool or a faster model in the tooling settings.",
    });
  if (exitCode === 127)
    return new MultiverseError("META_UNAVAILABLE", `${cli.command} is not installed`, {
      hint: `Install ${cli.command}, or choose another meta-agent.`,
    });
  const message = `${cli.kind}: ${failure?.message ?? "failed"}`;
  if (failure?.kind === "rate_limited") return new RateLimitedError(message, failure.retryAt);
  if (failure?.kind === "login") return loginMissing(cli, message);
  return new MultiverseError("META_UNAVAILABLE", message, {
    hint: `Run \`${cli.command}\` once by hand to see what it says, or choose another meta-agent.`,
    retryable: true,
  });
}
