import { MultiverseError } from "@multiverse/protocol/error";
import { LIMITS } from "@multiverse/protocol/limits";
import type { DemoEvent } from "./demo-event.ts";
import { delayFactor } from "./demo-settings.ts";
import { performRun } from "./perform-run.ts";
import { findTask, type Found } from "./find-in-script.ts";
import { loadScript } from "./load-script.ts";
import { Run, type TaskScript } from "./script.ts";
import { demoBlock, readWorkerPrompt } from "./worker-prompt.ts";
import { parseRestrictedYaml } from "../meta/restricted-yaml.ts";

/** As a shell says it of a process that was told to end. */
const STOPPED = 143;

/**
 * The demo agent's worker half, as a process of its own: reads a prompt from stdin, does in the current folder what the
 * script says, and prints one event a line. Gives the exit code.
 */
export async function runDemoWorker(
  stdin: AsyncIterable<Uint8Array | string>,
  argv: readonly string[],
  write: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<number> {
  const print = (event: DemoEvent): void => write(`${JSON.stringify(event)}\n`);
  // Its commands are in groups of their own, so a signal to ours has to be handed on.
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  try {
    const prompt = await textOf(stdin);
    const { run, task } = chosen(prompt, option(argv, "--script"));
    return await performRun({
      run,
      task,
      cwd: process.cwd(),
      signal: stop.signal,
      delayFactor: delayFactor(option(argv, "--delay") ?? undefined),
      print,
      printRaw: (text) => write(`${text}\n`),
    });
  } catch (error) {
    if (stop.signal.aborted) return STOPPED;
    if (!(error instanceof MultiverseError)) throw error;
    print({
      type: "result",
      ok: false,
      summary: `${error.message} ${error.hint}`,
      failure: "other",
    });
    return 1;
  }
}

/** A run written into the prompt wins over the script. */
function chosen(
  prompt: string,
  scriptPath: string | null,
): { run: Run; task: Found<TaskScript> | null } {
  const inline = demoBlock(prompt);
  if (inline !== null) return { run: inlineRun(inline), task: null };
  const { title, run: number } = readWorkerPrompt(prompt);
  const task = findTask(loadScript(scriptPath), title);
  const runs = task?.part.runs ?? [];
  return { run: runs[Math.min(number, runs.length) - 1] ?? Run.parse({}), task };
}

function inlineRun(yaml: string): Run {
  const parsed = parseRestrictedYaml(yaml);
  const run = "value" in parsed ? Run.safeParse(parsed.value ?? {}) : null;
  if (run?.success) return run.data;
  const why =
    "problem" in parsed
      ? parsed.problem
      : run?.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
  throw new MultiverseError(
    "INVALID_INPUT",
    `the demo block in the prompt cannot be used: ${why}`,
    {
      hint: "It holds one run of a demo script, in YAML.",
    },
  );
}

function option(argv: readonly string[], name: string): string | null {
  const at = argv.indexOf(name);
  return at === -1 ? null : argv[at + 1] || null;
}

async function textOf(stdin: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > 4 * LIMITS.textLength) break;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}
