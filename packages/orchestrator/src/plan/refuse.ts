import { MultiverseError } from "@multiverse/protocol/error";

/** A plan change that breaks a rule: the whole change is refused, with the reason in one sentence. */
export const refuse = (reason: string): MultiverseError =>
  new MultiverseError("PATCH_REFUSED", reason, {
    hint: "Nothing was changed. Mend the operation and send the plan change again.",
  });
