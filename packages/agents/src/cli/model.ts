import type { AgentCli } from "./agent-cli.ts";

export interface ModelChoice {
  /** Empty = the CLI's own default. */
  readonly model: string;
  readonly warning: string | null;
}

/**
 * The model to ask for. One that somebody named is passed on as it is (short names spelt out), because a CLI may know
 * more than we do; our own default is given up for the CLI's as soon as the CLI has never heard of it.
 */
export function modelFor(cli: AgentCli, named: string | undefined): ModelChoice {
  if (named) {
    const model = Object.hasOwn(cli.shortModels, named) ? (cli.shortModels[named] ?? named) : named;
    return { model, warning: unknownModel(cli, model) };
  }
  if (!cli.defaultModel || cli.models.includes(cli.defaultModel))
    return { model: cli.defaultModel, warning: null };
  const warning = `${cli.kind} no longer knows ${cli.defaultModel}; its own default model is used`;
  return { model: "", warning };
}

/** A sentence about a model the CLI's list does not have; null where it has, or where there is no list. */
export function unknownModel(cli: AgentCli, model: string): string | null {
  if (!model || cli.models.length === 0 || cli.models.includes(model)) return null;
  return `${cli.kind} does not list a model ${JSON.stringify(model)}; it is passed on as it is`;
}
