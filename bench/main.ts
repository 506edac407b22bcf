import { run as browser } from "./browser.ts";
import { run as engine } from "./engine.ts";
import { run as largePlan } from "./large-plan.ts";
import { run as live } from "./live.ts";
import { run as logPath } from "./log-path.ts";
import { run as packaging } from "./package.ts";
import { run as planning } from "./planning/rows.ts";
import type { Row } from "./row.ts";
import { run as runnerStart } from "./runner-start.ts";
import { run as scheduleQuality } from "./schedule-quality.ts";
import { run as store } from "./store.ts";
import { table } from "./table.ts";
import { run as takeOver } from "./take-over.ts";
import { run as tenThousandTasks } from "./ten-thousand-tasks.ts";
import { run as warmContainer } from "./warm-container.ts";

interface Suite {
  /** One line for `--list`. */
  readonly what: string;
  readonly run: () => Promise<Row[]>;
}

/** Every benchmark, the quick ones first; the order is that of the table. */
const suites: Readonly<Record<string, Suite>> = {
  planning: { what: "two forms of asking for a first plan, compared", run: planning },
  "schedule-quality": { what: "how close plans come to the shortest time", run: scheduleQuality },
  engine: {
    what: "200 tasks on 8 slots; from one task's end to the next one's start",
    run: engine,
  },
  store: { what: "commits, plan changes, opening, syncs", run: store },
  "runner-start": { what: "agent-runner --dry-run next to a bare node", run: runnerStart },
  "log-path": { what: "eight workers that print as fast as they can", run: logPath },
  "warm-container": { what: "a second run next to docker exec (needs Docker)", run: warmContainer },
  "take-over": { what: "from a rate limit to the next CLI (needs Docker)", run: takeOver },
  live: { what: "the idle server; facts to a WebSocket client", run: live },
  browser: { what: "the IDE with 1,000 and 5,000 tasks (needs Chromium)", run: browser },
  "ten-thousand-tasks": { what: "the longest block of the event loop", run: tenThousandTasks },
  "large-plan": {
    what: "a plan of 10,000 tasks: how long each thing one does with it holds up the rest",
    run: largePlan,
  },
  package: { what: "start-up and size of what npm pack makes", run: packaging },
};

const OPTIONS = ["--json", "--list"];

/** What was asked for that is not there; a slip must not cost eight minutes. */
const unknownOf = (args: readonly string[]): string[] =>
  args.filter((arg) => !OPTIONS.includes(arg) && !Object.hasOwn(suites, arg));

async function main(args: readonly string[]): Promise<void> {
  const unknown = unknownOf(args);
  if (unknown.length > 0) {
    console.error(
      `there is no ${unknown.join(", ")}: --list names the benchmarks, --json prints JSON`,
    );
    process.exitCode = 1;
    return;
  }
  if (args.includes("--list")) {
    for (const [name, { what }] of Object.entries(suites)) console.log(`${name.padEnd(20)}${what}`);
    return;
  }
  const chosen = args.filter((arg) => !OPTIONS.includes(arg));
  const rows = await measure(chosen.length > 0 ? chosen : Object.keys(suites));
  console.log(args.includes("--json") ? JSON.stringify(rows, null, 2) : table(rows));
}

async function measure(chosen: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, { run }] of Object.entries(suites)) {
    if (!chosen.includes(name)) continue;
    console.error(`measuring… ${name}`);
    try {
      rows.push(...(await run()));
    } catch (error) {
      // One that cannot be measured here does not take the others' numbers away.
      console.error(error);
      process.exitCode = 1;
    }
  }
  return rows;
}

await main(process.argv.slice(2));
