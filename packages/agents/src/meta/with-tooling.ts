import type { Clock, Random } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import type {
  Candidate,
  CategoryChoice,
  Tooling,
  ToolCategory,
} from "@multiverse/protocol/tooling";
import { choiceFor } from "../tooling/choice.ts";
import { createChooser, type Chooser, type Chosen } from "../tooling/chooser.ts";
import type { CooldownGate } from "../tooling/cooldown.ts";
import { chooseOrWait, createWaitBudget } from "../tooling/wait-for-candidate.ts";
import { credentialOf, problemWith } from "./candidate.ts";
import type { MetaAgent, MetaReply } from "./meta-agent.ts";
import { canceled, RateLimitedError } from "./rate-limited-error.ts";

export interface ToolingOptions {
  readonly tooling: Tooling;
  readonly gate: CooldownGate;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  /** The agent of a candidate; `waitsOutRateLimit` says whether it is the only one. */
  readonly agentOf: (candidate: Candidate, waitsOutRateLimit: () => boolean) => MetaAgent;
  /** Who is asked where nobody configured anything. */
  readonly otherwise: MetaAgent;
}

/** A meta-agent that asks, call by call, whom the tooling chooses; a limited one is passed over for the next. */
export function withTooling(options: ToolingOptions): MetaAgent {
  const plan = categoryOf(options, "plan");
  const task = categoryOf(options, "task");
  const execution = categoryOf(options, "execution");
  return {
    planTask: (request, signal) => plan((agent) => agent.planTask(request, signal), signal),
    nextAction: (request, signal) =>
      execution((agent) => agent.nextAction(request, signal), signal),
    assess: (request, signal) => execution((agent) => agent.assess(request, signal), signal),
    decompose: (request, signal) => task((agent) => agent.decompose(request, signal), signal),
    planPatch: (request, signal) => task((agent) => agent.planPatch(request, signal), signal),
    buildTask: (request, signal) => task((agent) => agent.buildTask(request, signal), signal),
  };
}

type Call<Answer> = (agent: MetaAgent) => Promise<MetaReply<Answer>>;

function categoryOf(options: ToolingOptions, category: ToolCategory) {
  const choice = choiceFor(options.tooling, category);
  if (choice === null) return <Answer>(call: Call<Answer>) => call(options.otherwise);
  const { gate, random, clock, env } = options;
  const chooser = createChooser({
    choice,
    problemWith: (candidate) => Promise.resolve(problemWith(candidate, env)),
    credentialOf: (candidate) => credentialOf(candidate, env),
    gate,
    random,
    clock,
  });
  const agents = new Map<Candidate, MetaAgent>();
  const agentOf = (candidate: Candidate): MetaAgent => {
    const known = agents.get(candidate);
    if (known) return known;
    const made = options.agentOf(candidate, () => !hasOther(choice, candidate, env));
    agents.set(candidate, made);
    return made;
  };
  return <Answer>(call: Call<Answer>, signal: AbortSignal) =>
    askInTurn(chooser, (candidate) => call(agentOf(candidate)), clock, signal);
}

/** Whether somebody else could go on with the step if this one is limited. */
const hasOther = (
  choice: CategoryChoice,
  candidate: Candidate,
  env: ToolingOptions["env"],
): boolean =>
  choice.fallbackOnRateLimit &&
  choice.candidates.some((other) => other !== candidate && problemWith(other, env) === null);

async function askInTurn<Answer>(
  chooser: Chooser,
  call: (candidate: Candidate) => Promise<MetaReply<Answer>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<MetaReply<Answer>> {
  const budget = createWaitBudget(clock);
  for (;;) {
    const chosen = await chooseOrWait(chooser, budget, signal).catch((error: unknown) => {
      throw signal.aborted ? canceled() : error;
    });
    if (chosen.candidate === null) throw nobody(chosen);
    const { candidate } = chosen;
    try {
      const reply = await call(candidate);
      await chooser.settle(candidate, "answered");
      return reply;
    } catch (error) {
      if (!(error instanceof RateLimitedError)) {
        await chooser.settle(candidate, signal.aborted ? "unknown" : "answered");
        throw error;
      }
      await chooser.settle(candidate, "limited", error.retryAt);
    }
  }
}

function nobody({ retryAt, problems }: Extract<Chosen, { candidate: null }>): MultiverseError {
  if (retryAt !== null)
    return new RateLimitedError(
      "every meta-agent that could be asked is rate limited",
      retryAt.toISOString(),
    );
  return new MultiverseError("LOGIN_MISSING", `no meta-agent can be used: ${problems.join("; ")}`, {
    hint: "Log in to one of them or set its key, or change the tooling settings.",
  });
}
