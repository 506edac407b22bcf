import { silentLogger } from "@multiverse/agents/log";
import { ask } from "@multiverse/agents/meta/ask";
import { answerSchema } from "@multiverse/agents/meta/answer-schema";
import { CALLS } from "@multiverse/agents/meta/calls";
import { userMessage } from "@multiverse/agents/meta/prompts/user-message";
import type { Provider } from "@multiverse/agents/meta/provider";
import { noMask } from "@multiverse/agents/secrets";
import { systemClock } from "@multiverse/agents/system-clock";
import { patchToFacts } from "@multiverse/orchestrator/plan/patch-to-facts";
import { draftPlan } from "@multiverse/orchestrator/plan/plan-draft";
import { planRequest } from "@multiverse/orchestrator/plan/plan-request";
import { atOnce } from "@multiverse/orchestrator/store/give-way";
import { toCamel, toSnake } from "@multiverse/protocol/case";
import { MultiverseError } from "@multiverse/protocol/error";
import type { NodeDesign } from "@multiverse/protocol/plan-node";
import type { PlanOperation } from "@multiverse/protocol/plan-patch";
import { emptyState, type WorkspaceState } from "@multiverse/protocol/state";
import { noUsage } from "@multiverse/protocol/usage";
import { asOperations, type Form } from "./forms.ts";
import { answerText, NO_SLIP, SLIPS } from "./slips.ts";
import { REQUESTS, type Request } from "./wanted.ts";

/** What one way of asking came to over every request and every slip. */
export interface Measured {
  readonly turns: number;
  /** Planned without asking a second time. */
  readonly atFirst: number;
  readonly rounds: number;
  /** Bytes of system prompt, form and request, and of the schema that goes along. */
  readonly questionBytes: number;
  readonly schemaBytes: number;
  /** Bytes of a good answer, over all requests. */
  readonly answerBytes: number;
  /** Of the fields and questions that were meant, how many reached the plan, over the good answers. */
  readonly meant: number;
  readonly kept: number;
}

const AT = "2026-01-01T00:00:00.000Z";

const emptyPlan = (): WorkspaceState => {
  const draft = draftPlan(emptyState, AT);
  draft.add({
    kind: "workspace.created",
    payload: { projectRoot: "/p", name: "p", wbsId: "wbs" },
  });
  return draft.state;
};

export async function measure(form: Form): Promise<Measured> {
  let [turns, atFirst, rounds, meant, kept, answerBytes] = [0, 0, 0, 0, 0, 0];
  for (const request of REQUESTS) {
    for (const slip of request.tasks.length > 0 ? SLIPS : [NO_SLIP]) {
      const turn = await plan(form, request, answerText(form, request, slip));
      turns += 1;
      rounds += turn.rounds;
      if (turn.rounds === 1) atFirst += 1;
      if (slip !== NO_SLIP) continue;
      answerBytes += Buffer.byteLength(answerText(form, request, NO_SLIP));
      meant += fieldsMeant(request);
      kept += fieldsKept(request, turn);
    }
  }
  const { call } = form;
  const { system, shape } = CALLS[call];
  const payload: unknown = toSnake(requestOf(REQUESTS[0]?.text ?? "", null));
  return {
    turns,
    atFirst,
    rounds,
    meant,
    kept,
    answerBytes,
    questionBytes: Buffer.byteLength(system + userMessage(call, payload, shape)),
    schemaBytes: Buffer.byteLength(JSON.stringify(answerSchema(call, "strict"))),
  };
}

interface Turn {
  readonly rounds: number;
  readonly nodes: readonly NodeDesign[];
  readonly questions: number;
}

const requestOf = (userInput: string, refusal: string | null) =>
  atOnce(
    planRequest(emptyPlan(), {
      userInput,
      sessionId: "s",
      messageId: "m",
      now: Date.parse(AT),
      refusal,
    }),
  );

/** A turn as the chat does it: asked, read, applied, and asked once more if the plan refuses. The second answer is good. */
async function plan(form: Form, request: Request, first: string): Promise<Turn> {
  const good = answerText(form, request, NO_SLIP);
  let rounds = 0;
  const provider: Provider = {
    kind: "scripted",
    model: "scripted",
    schemaForm: "strict",
    ask: async () => ({ text: rounds++ === 0 ? first : good, usage: noUsage }),
  };
  const planned = async (refusal: string | null): Promise<Omit<Turn, "rounds">> => {
    const { operations, questions } = await answer(form, provider, request.text, refusal);
    const options = { text: request.text, by: "meta-agent", at: AT, projectRoot: "/p" };
    const { facts } = patchToFacts(emptyPlan(), { operations, potentialConflicts: [] }, options);
    const nodes = facts.flatMap((fact) =>
      fact.kind === "node.created" ? [fact.payload.node] : [],
    );
    return { nodes, questions };
  };
  const done = await planned(null).catch((error: unknown) => {
    if (error instanceof MultiverseError && error.code === "PATCH_REFUSED")
      return planned(error.message);
    throw error;
  });
  return { rounds, ...done };
}

async function answer(
  { call }: Form,
  provider: Provider,
  text: string,
  refusal: string | null,
): Promise<{ operations: PlanOperation[]; questions: number }> {
  const options = {
    provider,
    log: silentLogger,
    systemPrompt: undefined,
    clock: systemClock,
    random: () => 0,
    mask: noMask,
    report: () => {},
    record: () => {},
    waitsOutRateLimit: () => true,
  };
  const { signal } = new AbortController();
  const request = requestOf(text, refusal);
  if (call === "decompose") {
    const got = await ask(options, call, CALLS.decompose.schema, request, signal);
    return { operations: asOperations(toCamel(got.answer)), questions: 0 };
  }
  const got = await ask(options, call, CALLS.plan_patch.schema, request, signal);
  const { operations, questions } = toCamel(got.answer);
  return { operations, questions: questions.length };
}

const fieldsMeant = ({ tasks, question }: Request): number =>
  (question ? 1 : 0) +
  tasks.reduce((sum, task) => sum + 9 + (task.test ? 1 : 0) + (task.priority ? 1 : 0), 0);

function fieldsKept({ tasks, question }: Request, { nodes, questions }: Turn): number {
  const kept = tasks.map((task, i) => {
    const node = nodes[i];
    if (!node) return 0;
    return [
      node.title === task.title,
      node.description === task.description,
      node.acceptanceCriteria.length === task.criteria.length,
      node.dependencies.length === task.after.length,
      node.phaseName === task.phase,
      node.milestone === task.milestone,
      node.wbsLevel === task.level,
      node.effort === task.effort,
      node.suggestedImpl?.filePaths.length === task.files.length,
      task.test !== undefined && node.test?.command === task.test,
      task.priority !== undefined && node.priority === task.priority,
    ].filter(Boolean).length;
  });
  const asked = question && questions > 0 ? 1 : 0;
  return kept.reduce((sum, count) => sum + count, asked);
}
