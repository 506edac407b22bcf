import { access, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock } from "@multiverse/agents/system-clock";
import type { RepairChoice, RepairOffer } from "@multiverse/orchestrator/store/repair";
import { offerRepair, repairWorkspace } from "@multiverse/orchestrator/store/repair-workspace";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { MultiverseError } from "@multiverse/protocol/error";
import { newId } from "../new-id.ts";
import type { CliContext } from "./context.ts";

export interface RepairFlags {
  readonly project: string;
  readonly choice?: string;
  readonly json?: boolean;
}

const MEANING: Readonly<Record<RepairChoice, string>> = {
  "last-good": "go on from the last fact before the damage",
  "newest-state": "go on with the newest state that snapshots still give",
};

/** `multiverse repair`: says what is damaged and which ways out there are, and takes the one that was chosen. */
export async function repair(context: CliContext, flags: RepairFlags): Promise<number> {
  const { terminal, home } = context;
  const place = {
    home: home.root,
    projectRoot: await knownProject(context, flags.project),
    clock: systemClock,
    newId,
  };
  const offer = await offerRepair(place);
  if (flags.json && flags.choice === undefined) {
    terminal.out(`${JSON.stringify(offer)}\n`);
    return offer ? 1 : 0;
  }
  if (!offer) {
    terminal.out("nothing is damaged\n");
    return 0;
  }
  if (flags.choice === undefined) {
    describe(context, offer);
    return 1;
  }
  const done = await repairWorkspace(place, choiceOf(flags.choice, offer));
  terminal.out(`repaired; copies of the damaged files are in ${done?.keptIn ?? "damaged/"}\n`);
  return 0;
}

/** A folder that nobody ever opened has nothing to repair, and asking must not make anything. */
async function knownProject({ home, cwd }: CliContext, project: string): Promise<string> {
  const folder = resolve(cwd, project);
  try {
    const real = await realpath(folder);
    await access(join(home.workspaces, workspaceIdOf(real)));
    return real;
  } catch (cause) {
    throw new MultiverseError("NOT_FOUND", `there is no workspace ${folder}`, {
      hint: "Name the project's folder with --project.",
      cause,
    });
  }
}

function describe({ terminal }: CliContext, { damage, choices, ...offer }: RepairOffer): void {
  terminal.out(`${damage.file}, byte ${damage.offset}: ${damage.problem}\n`);
  terminal.out(`good until ${offer.lastGoodSeq}; newest state that is left: ${offer.newestSeq}\n`);
  for (const choice of choices)
    terminal.out(`  multiverse repair --choice ${choice}   ${MEANING[choice]}\n`);
}

function choiceOf(text: string, { choices }: RepairOffer): RepairChoice {
  const choice = choices.find((each) => each === text);
  if (choice) return choice;
  throw new MultiverseError("INVALID_INPUT", `there is no way out called ${text}`, {
    hint: `Here it is ${choices.join(" or ")}.`,
  });
}
