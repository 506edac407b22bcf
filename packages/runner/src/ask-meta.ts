import { failedCallOf } from "@multiverse/agents/meta/failed-call";
import type { MetaReply } from "@multiverse/agents/meta/meta-agent";
import type { Run } from "./run.ts";

/** The answer of a call that is under way; the call goes into the context, also where it failed. */
export async function askMeta<Answer>(
  { context }: Pick<Run, "context">,
  reply: Promise<MetaReply<Answer>>,
): Promise<Answer> {
  try {
    const { answer, call } = await reply;
    context.metaCalls.push(call);
    return answer;
  } catch (error) {
    const call = failedCallOf(error);
    if (call) context.metaCalls.push(call);
    throw error;
  }
}
