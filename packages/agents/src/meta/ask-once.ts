import type { AskOptions } from "./ask-options.ts";
import type { ProviderReply, ProviderRequest } from "./provider.ts";
import { withRetries, type Retry } from "./retry.ts";

/** One question with the provider's retries, and the log points around it. */
export async function askOnce(
  options: AskOptions,
  question: ProviderRequest,
  signal: AbortSignal,
): Promise<ProviderReply> {
  const { provider, log, clock, random, report, mask, waitsOutRateLimit } = options;
  const { call, system, messages } = question;
  const { kind, model } = provider;
  const userPrompt = messages.map(({ text }) => text).join("\n\n");
  const requestSize = system.length + userPrompt.length;
  log.info("calling the model", { call, provider: kind, model, requestSize });
  log.debug("model request", { systemPrompt: system, userPrompt });
  const started = clock.monotonic();
  const onRetry = ({ attempt, maxRetries, delayMs, error }: Retry): void => {
    const delaySeconds = delayMs / 1_000;
    log.warn("retrying the model", {
      call,
      attempt,
      maxRetries,
      delaySeconds,
      error: error.message,
    });
    const message = mask.mask(`${error.message}; trying again in ${delaySeconds.toFixed(1)} s`);
    report({ type: "meta", phase: "retry", call, provider: kind, model, message });
  };
  const retrying = { clock, random, signal, waitsOutRateLimit, onRetry };
  const reply = await withRetries(() => provider.ask(question, signal), retrying);
  const durationMs = Math.round(clock.monotonic() - started);
  log.info("the model answered", { call, responseSize: reply.text.length, durationMs });
  log.debug("model response", { content: reply.text });
  return reply;
}
