import type { Clock } from "@multiverse/protocol/clock";
import { MultiverseError } from "@multiverse/protocol/error";
import { noUsage } from "@multiverse/protocol/usage";
import type { Provider, ProviderReply } from "../meta/provider.ts";
import { canceled, RateLimitedError } from "../meta/rate-limited-error.ts";
import { demoSettings } from "./demo-settings.ts";
import { loadScript } from "./load-script.ts";
import type { Fault, Script } from "./script.ts";
import { scriptedAnswer } from "./scripted-answer.ts";

/** The demo agent's meta half: answers from a script, through the same reading and retrying as a model's. */
export function mockProvider({
  env,
  clock,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}): Provider {
  const settings = demoSettings(env);
  const played = new Map<Fault, number>();
  let script: Script | undefined;

  /** The next fault that is still to be played for this call. */
  function due(faults: readonly Fault[], call: string): Fault | undefined {
    const fault = faults.find(
      (each) => (each.call ?? call) === call && (played.get(each) ?? 0) < each.times,
    );
    if (fault) played.set(fault, (played.get(fault) ?? 0) + 1);
    return fault;
  }

  return {
    kind: "mock",
    model: "demo",
    schemaForm: "plain",
    async ask({ call, payload }, signal) {
      script ??= loadScript(settings.scriptPath);
      const answer = scriptedAnswer(script, settings, call, payload);
      await clock.sleep(answer.delayMs * settings.delayFactor, signal).catch(() => {
        throw canceled();
      });
      const fault = due(answer.faults, call);
      if (fault) return play(fault, settings.delayFactor, clock);
      return {
        text: JSON.stringify({ type: call, version: 1, payload: answer.payload }),
        usage: noUsage,
      };
    },
  };
}

function play(fault: Fault, delayFactor: number, clock: Clock): ProviderReply {
  switch (fault.kind) {
    case "garbage":
      return { text: fault.text, usage: noUsage };
    case "rate_limit": {
      const until = clock.now().getTime() + fault.after_sec * 1_000 * delayFactor;
      throw new RateLimitedError("rate limited (scripted)", new Date(until).toISOString());
    }
    case "unavailable":
      throw new MultiverseError("META_UNAVAILABLE", "the model is unavailable (scripted)", {
        hint: "This is part of the demo script; nothing needs to be done.",
        retryable: true,
      });
  }
}
