import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { errorBody, MultiverseError } from "@multiverse/protocol/error";
import { answer, backlog } from "./backlog.ts";
import { openHome } from "../home.ts";
import type { CliContext } from "./context.ts";
import { doctor } from "./doctor.ts";
import { buildSandboxImages } from "./images.ts";
import { logs } from "./logs.ts";
import { orchestrate } from "./orchestrate.ts";
import { LOOPBACK } from "./one-server.ts";
import { plan, undo, type PlanFlags } from "./plan.ts";
import { repair, type RepairFlags } from "./repair.ts";
import { run, type RunFlags } from "./run.ts";
import { serve, type ServeFlags } from "./serve.ts";
import { snapshot, type SnapshotFlags } from "./snapshot.ts";
import { status } from "./status.ts";
import { task, type TaskFlags } from "./task.ts";
import { paint } from "./terminal.ts";
import { rotateToken } from "./token.ts";

/** The workspace is open in another process. */
const LOCKED = 3;

/** The command line. Returns the exit code; every foreseen failure is words and a hint, never a stack. */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  let code = 0;
  const add = (work: Promise<number>): Promise<void> => work.then((next) => void (code = next));
  const program = mainCommand(context, add);
  addPlanCommands(program, context, add);
  addUpkeepCommands(program, context, add);
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof MultiverseError)) context.log.error("this should not happen", { error });
    const { message, hint } = errorBody(error).error;
    context.terminal.err(`${paint(context.terminal, "red", "error")}: ${message}\n${hint}\n`);
    return error instanceof MultiverseError && error.code === "WORKSPACE_LOCKED" ? LOCKED : 1;
  }
}

type Add = (work: Promise<number>) => Promise<void>;

function mainCommand(context: CliContext, add: Add): Command {
  const { terminal } = context;
  return new Command("multiverse")
    .description("One sentence in a chat becomes finished, checked work by coding agents.")
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError("(multiverse --help shows what there is)")
    .enablePositionalOptions()
    .helpCommand("help [command]", "the same as --help")
    .hook("preAction", async () => void (await openHome(context.home.root)))
    .argument("[project]", "the project's folder", ".")
    .option("--no-open", "do not open a browser")
    .option("--port <number>", "listen on this port instead of 4317 or the next free one", port)
    .option("--host <address>", "listen on this address", LOOPBACK)
    .addOption(demoOption())
    .option("--detach", "on stop, leave running tasks to be taken over by the next start")
    .option("--password-file <file>", "password for logins from other machines")
    .option("--tls-cert <file>", "certificate (PEM)")
    .option("--tls-key <file>", "its key (PEM)")
    .action((project: string, flags: ServeFlags) => add(serve(context, project, flags)));
}

function addPlanCommands(program: Command, context: CliContext, add: Add): void {
  program
    .command("run")
    .argument("<sentence>", "what you want", sentence)
    .description("plan and do it, shown here; exit code 0 if every task succeeded")
    .option("--project <folder>", "the project's folder", ".")
    .option("--until-idle", "end when nothing can go on without an answer")
    .option("--json", "a line of JSON per change")
    .addOption(demoOption())
    .action((sentence: string, flags: RunFlags) => add(run(context, sentence, flags)));
  program
    .command("task")
    .argument("<sentence>", "what you want", sentence)
    .description("do one task with agent-runner, without a plan")
    .option("--project <folder>", "the project's folder", ".")
    .option("--print", "only show the Task YAML")
    .addOption(demoOption())
    .action((sentence: string, flags: TaskFlags) => add(task(context, sentence, flags)));
  about(program.command("status"))
    .description("the plan, what runs and what waits for you")
    .option("--json", "as JSON")
    .action((flags: object) => add(status(context, flags)));
  about(program.command("plan"))
    .description("the plan as a tree, now or as it was")
    .option("--at <seq>", "as it was after this fact", seq)
    .option("--changes", "every change of the plan instead, the oldest first")
    .option("--json", "as JSON")
    .action((flags: PlanFlags) => add(plan(context, flags)));
  about(program.command("undo"))
    .description("take back the last change of the plan; again, the one before")
    .option("--json", "as JSON")
    .action((flags: object) => add(undo(context, flags)));
  about(program.command("logs [task]"))
    .description("what workers printed")
    .option("-f, --follow", "go on as they print more")
    .action((id: string | undefined, flags: object) => add(logs(context, id, flags)));
  about(program.command("backlog"))
    .description("what waits for you")
    .option("--all", "also what was resolved")
    .option("--json", "as JSON")
    .action((flags: object) => add(backlog(context, flags)));
  about(program.command("answer <item> [text]"))
    .description("answer a question, or decide about a failure")
    .option("--choice <choice>", "answer, retry, skip, skip_and_proceed, drop or dismiss")
    .action((item: string, text: string | undefined, flags: object) =>
      add(answer(context, item, text ?? "", flags)),
    );
}

function addUpkeepCommands(program: Command, context: CliContext, add: Add): void {
  about(program.command("snapshot [action] [id]"))
    .description("create (default), list, or restore a snapshot")
    .option("--force", "restore even while tasks run; they are stopped first")
    .option("--json", "as JSON")
    .action((action: string | undefined, id: string | undefined, flags: SnapshotFlags) =>
      add(snapshot(context, snapshotAction(action), id ?? "", flags)),
    );
  program
    .command("doctor")
    .description("what is installed and logged in here, and what to do about the rest")
    .option("--json", "as JSON")
    .option("--bundle [file]", "write a report for a bug, without secrets")
    .action((flags: object) => add(doctor(context, flags)));
  program
    .command("orchestrate")
    .description("serve a workspace's plan and queue without a browser")
    .requiredOption("--workspace <id>", "the workspace")
    .option("--detach", "on stop, leave running tasks to be taken over")
    .addOption(demoOption())
    .action((flags: { workspace: string }) => add(orchestrate(context, flags)));
  program
    .command("repair")
    .description("what is damaged in a workspace's history, and the ways out")
    .option("--project <folder>", "the project's folder", ".")
    .option("--choice <way>", "take this way out")
    .option("--json", "as JSON")
    .action((flags: RepairFlags) => add(repair(context, flags)));
  program
    .command("images")
    .description("the sandboxes of the coding CLIs")
    .command("build [kinds...]")
    .description("build them from the Dockerfiles that ship with the product")
    .option("--base-image <image>", "another base, such as a mirror's")
    .action((kinds: string[], flags: object) => add(buildSandboxImages(context, kinds, flags)));
  const token = program.command("token").description("the token of the server");
  token
    .command("rotate")
    .description("replace it; browsers have to sign in again")
    .action(() => add(rotateToken(context)));
}

const demoOption = (): Option =>
  new Option("--demo", "use the built-in demo agent: scripted, no AI");

const about = (command: Command): Command =>
  command
    .option("--project <folder>", "the project's folder (default: this one, or the last opened)")
    .option("--workspace <id>", "the workspace's id");

function snapshotAction(text: string | undefined): "create" | "list" | "restore" {
  if (text === undefined || text === "create" || text === "list" || text === "restore")
    return text ?? "create";
  throw new MultiverseError("INVALID_INPUT", `there is no snapshot ${text}`, {
    hint: "It is create, list or restore.",
  });
}

function seq(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError(
      "a seq is a whole number; `multiverse plan --changes` lists them.",
    );
  return number;
}

function port(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new InvalidArgumentError("a port is a number from 1 to 65535.");
  return number;
}

function sentence(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("say what you want in a few words.");
  return text;
}
