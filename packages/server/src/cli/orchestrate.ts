import { MultiverseError } from "@multiverse/protocol/error";
import { idProblem } from "@multiverse/protocol/id";
import { compose } from "../compose.ts";
import { demoFor } from "../demo.ts";
import { realPorts } from "../real-ports.ts";
import { createTracing } from "../tracing.ts";
import type { CliContext } from "./context.ts";

/** `multiverse orchestrate --workspace ID`: serves a workspace's queue and plan without a browser; nothing listens. */
export async function orchestrate(
  context: CliContext,
  flags: { readonly workspace: string; readonly demo?: boolean; readonly detach?: boolean },
): Promise<number> {
  const problem = idProblem(flags.workspace);
  if (problem)
    throw new MultiverseError("INVALID_ID", `workspace id ${flags.workspace} ${problem}`, {
      hint: "`multiverse status --json` shows the id.",
    });
  const { demo, says } = await demoFor(context, flags);
  const tracing = createTracing(context.environment.env, context.log);
  const { workspaces } = await compose({
    ...context,
    demo,
    ports: realPorts(context),
    url: null,
    tracing,
    onFatal: (error) => {
      context.log.error("the disk no longer confirms writes; stopping", { error });
      context.exit(1);
    },
    onClosed() {},
  });
  const { workspace } = await workspaces.get(flags.workspace);
  context.terminal.out(`${says}\nserving ${workspace.projectRoot} (${workspace.id})\n`);
  await new Promise<void>((resolve) => context.onStop(resolve));
  await workspaces.close({ detach: flags.detach === true });
  await tracing.close();
  return 0;
}
