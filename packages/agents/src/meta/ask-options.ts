import type { Clock, Random } from "@multiverse/protocol/clock";
import type { RunEventOf } from "@multiverse/protocol/run-event";
import type { Logger } from "../log.ts";
import type { Mask } from "../secrets.ts";
import type { MetaCallLog } from "./meta-agent.ts";
import type { Provider } from "./provider.ts";

/** All texts a call got back, for the recording; kept also when none of them could be used. */
export interface MetaRecording extends MetaCallLog {
  readonly raw: readonly string[];
  readonly problem: string | null;
}

export interface AskOptions {
  readonly provider: Provider;
  readonly systemPrompt: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly mask: Mask;
  readonly log: Logger;
  readonly report: (event: RunEventOf<"meta">) => void;
  readonly record: (entry: MetaRecording) => void;
  readonly waitsOutRateLimit: () => boolean;
}
