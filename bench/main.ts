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

/** Every benchmark, the quick ones first; the order is that of the table. */
const suites: Readonly<Record<string, () => Promise<Row[]>>> = {
  planning,
  "schedule-quality": scheduleQuality,
  engine,
  store,
  "runner-start": runnerStart,
  "log-path": logPath,
  "warm-container": warmContainer,
  "take-over": takeOver,
  live,
  browser,
  "ten-thousand-tasks": tenThousandTasks,
  "large-plan": largePlan,
  package: packaging,
};

async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--list")) {
    for (const name of Object.keys(suites)) console.log(name);
    return;
  }
  const asJson = args.includes("--json");
  const chosen = args.filter((arg) => !arg.startsWith("--"));
  const unknown = chosen.filter((name) => !(name in suites));
  if (unknown.length > 0)
    throw new Error(`no such benchmark: ${unknown.join(", ")} (--list names them)`);
  const rows: Row[] = [];
  for (const [name, suite] of Object.entries(suites)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    console.error(`measuring… ${name}`);
    try {
      rows.push(...(await suite()));
    } catch (error) {
      // One that cannot be measured here does not take the others' numbers away.
      console.error(error);
      process.exitCode = 1;
    }
  }
  if (asJson) console.log(JSON.stringify(rows, null, 2));
  else console.log(table(rows));
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
