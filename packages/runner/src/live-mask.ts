import { createMask } from "@multiverse/agents/secrets";
import type { Mask } from "@multiverse/agents/secrets";

/** A mask that can learn: a login is found only when the sandbox starts, long after the first event. */
export interface LiveMask extends Mask {
  /** What it cannot hide: the words of the format. */
  readonly words: ReadonlySet<string>;
  add(secrets: Iterable<string>): void;
}

export function createLiveMask(
  secrets: Iterable<string>,
  words: ReadonlySet<string> = new Set(),
): LiveMask {
  const known = new Set(secrets);
  let mask = createMask(known, words);
  return {
    words,
    mask: (text) => mask.mask(text),
    maskDeep: (value) => mask.maskDeep(value),
    stream: () => mask.stream(),
    add(more) {
      for (const secret of more) known.add(secret);
      mask = createMask(known, words);
    },
  };
}
