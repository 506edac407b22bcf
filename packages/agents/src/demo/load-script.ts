import { readFileSync } from "node:fs";
import { broken, parseScript, type Script } from "./script.ts";
import { GENERIC_SCRIPT } from "./scripts/generic.ts";
import { TODO_PAGE_SCRIPT } from "./scripts/todo-page.ts";
import { TODO_PLAN_SCRIPT } from "./scripts/todo-plan.ts";
import { TODO_SERVER_SCRIPT } from "./scripts/todo-server.ts";
import { TODO_STORE_SCRIPT } from "./scripts/todo-store.ts";

/** The story the product ships with; what it does not know falls through to the generic part at the end. */
const BUILT_IN = [
  TODO_PLAN_SCRIPT,
  TODO_STORE_SCRIPT,
  TODO_PAGE_SCRIPT,
  TODO_SERVER_SCRIPT,
  GENERIC_SCRIPT,
];

let builtIn: Script | undefined;

/** The script of the demo agent: the file somebody chose, followed by nothing, or the one that ships. */
export function loadScript(path: string | null): Script {
  if (path !== null) return parseScript(textOf(path), path);
  builtIn ??= joined(BUILT_IN.map((yaml) => parseScript(yaml, "(built in)")));
  return builtIn;
}

const joined = (scripts: readonly Script[]): Script => ({
  version: 1,
  plans: scripts.flatMap(({ plans }) => plans),
  tasks: scripts.flatMap(({ tasks }) => tasks),
});

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw broken(path, error instanceof Error ? error.message : "it cannot be read");
  }
}
