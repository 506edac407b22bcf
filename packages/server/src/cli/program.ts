import { Command, CommanderError, InvalidArgumentError } from "commander";
import { errorBody, MultiverseError } from "@multiverse/protocol/error";
import type { CliContext } from "./context.ts";
import { serve, type ServeFlags } from "./serve.ts";
import { paint } from "./terminal.ts";

/** The command line. Returns the exit code; every foreseen failure is words and a hint, never a stack. */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  let code = 0;
  const program = buildProgram(context, (next) => void (code = next));
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof MultiverseError)) context.log.error("this should not happen", { error });
    const { message, hint } = errorBody(error).error;
    context.terminal.err(`${paint(context.terminal, "red", "error")}: ${message}\n${hint}\n`);
    return 1;
  }
}

function buildProgram(context: CliContext, exitWith: (code: number) => void): Command {
  const { terminal } = context;
  const program = new Command("multiverse")
    .description("One sentence in a chat becomes finished, checked work by coding agents.")
    .version(context.version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .showHelpAfterError("(multiverse --help shows what there is)")
    .argument("[project]", "the project's folder", ".")
    .option("--no-open", "do not open a browser")
    .option("--port <number>", "listen on this port instead of 4317 or the next free one", port)
    .option("--host <address>", "listen on this address", "127.0.0.1")
    .option("--demo", "use the built-in demo agent: scripted, no AI")
    .option("--detach", "on stop, leave running tasks to be taken over by the next start")
    .option("--password-file <file>", "password for logins from other machines")
    .option("--tls-cert <file>", "certificate (PEM)")
    .option("--tls-key <file>", "its key (PEM)")
    .action(async (project: string, flags: ServeFlags) => {
      exitWith(await serve(context, project, flags));
    });
  return program;
}

function port(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new InvalidArgumentError("a port is a number from 1 to 65535.");
  return number;
}
