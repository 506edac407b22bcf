import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import type { TaskStatus } from "@multiverse/protocol/task";
import { tasksInPlanOrder } from "@multiverse/protocol/task-view";
import { planLines, taskLine } from "./task-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Shows a plan while it runs. */
export interface LiveView {
  show(state: WorkspaceState): void;
  /** Words between the pictures, such as a question. */
  say(text: string): void;
  end(): void;
}

const REDRAW_MS = 200;
const ROWS = 30;

/** On a terminal the plan is redrawn in place; elsewhere each change of a status is a line; for scripts, of JSON. */
export function createLiveView(
  terminal: Terminal,
  json: boolean,
  now: () => number,
  conditions: () => Conditions | null,
): LiveView {
  if (json)
    return changesView(
      (task) => terminal.out(`${JSON.stringify(task)}\n`),
      () => {},
      now,
    );
  if (terminal.isTerminal) return picture(terminal, now, conditions);
  return changesView(
    ({ status, title, id }) => terminal.out(`${taskLine(terminal, status, `${id}  ${title}`)}\n`),
    terminal.out,
    now,
  );
}

interface Change {
  readonly id: string;
  readonly title: string;
  readonly status: TaskStatus;
}

function changesView(
  tell: (change: Change) => void,
  say: (text: string) => void,
  now: () => number,
): LiveView {
  const known = new Map<string, TaskStatus>();
  return {
    show(state) {
      for (const task of tasksInPlanOrder(state)) {
        const status = statusOf(state, task, now());
        if (known.get(task.id) === status) continue;
        known.set(task.id, status);
        tell({ id: task.id, title: state.nodes.get(task.nodeId)?.title ?? "", status });
      }
    },
    say,
    end() {},
  };
}

function picture(
  terminal: Terminal,
  now: () => number,
  conditions: () => Conditions | null,
): LiveView {
  let drawn = 0;
  let last = "";
  let state: WorkspaceState | null = null;
  const clear = (): void => {
    if (drawn > 0) terminal.out(`\u001b[${drawn}A\u001b[J`);
    drawn = 0;
  };
  const draw = (): void => {
    if (!state) return;
    const lines = planLines(terminal, { state, conditions: conditions(), now: now() }, ROWS);
    const text = lines.map((line) => `${line}\n`).join("");
    if (text === last && drawn > 0) return;
    clear();
    terminal.out(text);
    drawn = lines.length;
    last = text;
  };
  // Elapsed times move by themselves; a burst of facts costs one picture.
  const timer = setInterval(draw, REDRAW_MS);
  return {
    show: (next) => void (state = next),
    say(text) {
      clear();
      terminal.out(text);
      draw();
    },
    end() {
      clearInterval(timer);
      draw();
    },
  };
}
