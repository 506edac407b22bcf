import type { Tooling } from "@multiverse/protocol/tooling";
import { unknownModel } from "../cli/model.ts";
import { cliOf } from "../cli/registry.ts";
import { metaKind } from "./tool-name.ts";

export interface ToolingWarning {
  readonly path: string;
  readonly message: string;
}

/** What is odd about a tooling that its schema lets pass. None of it stops anybody. */
export function toolingWarnings(tooling: Tooling): ToolingWarning[] {
  const warnings: ToolingWarning[] = [];
  const known = tooling.profiles.map(({ id }) => id);
  if (tooling.activeProfile && known.length > 0 && !known.includes(tooling.activeProfile)) {
    const message = `there is no profile ${JSON.stringify(tooling.activeProfile)}; ${JSON.stringify(known[0])} is used`;
    warnings.push({ path: "activeProfile", message });
  }
  if (tooling.force.enabled && metaKind(tooling.force.tool) === undefined) {
    warnings.push({
      path: "force.tool",
      message: `${JSON.stringify(tooling.force.tool)} is no known tool; nothing is forced`,
    });
  }
  for (const [p, profile] of tooling.profiles.entries()) {
    for (const [category, choice] of Object.entries(profile.categories)) {
      for (const [c, candidate] of choice.candidates.entries()) {
        const cli = cliOf(candidate.tool);
        const message = cli ? unknownModel(cli, candidate.model) : null;
        if (message === null) continue;
        warnings.push({
          path: `profiles.${p}.categories.${category}.candidates.${c}.model`,
          message,
        });
      }
    }
  }
  return warnings;
}
