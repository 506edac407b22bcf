import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { planLines } from "../task-lines.ts";
import { paint, safeText, type Terminal } from "../terminal.ts";
import { textWidth } from "../text-width.ts";
import type { LinePrompt } from "./line-prompt.ts";
import { questionLines } from "./lines.ts";
import type { Question } from "./news.ts";

/** What there is to see at a moment. */
export interface Scene {
  readonly state: WorkspaceState;
  /** What else decides about starts, as far as it is known. */
  readonly conditions: { readonly current: Conditions | null };
  /** Since when the planner is thinking; null if it is not. */
  readonly planningSince: number | null;
  readonly question: Question | null;
}

const REDRAW_MS = 200;
/** Rows that are left for the prompt and for what was typed. */
const MARGIN = 3;
const FEWEST_ROWS = 3;

/**
 * The plan at the bottom of a terminal, drawn again in place, with a line below it to type into. What is said between
 * the pictures scrolls away above them. Every line is cut to the width, so that going back up lands where it began; in
 * a window that has become narrower since, a line takes as many rows as it is broken into there.
 */
export class Picture {
  private readonly terminal: Terminal;
  private readonly now: () => number;
  private readonly timer: NodeJS.Timeout;
  private prompt: LinePrompt | null = null;
  private scene: Scene | null = null;
  /** Rows that were drawn, each with the columns it took. */
  private drawn: number[] = [];
  private last = "";

  constructor(terminal: Terminal, now: () => number) {
    this.terminal = terminal;
    this.now = now;
    // Elapsed times move by themselves; a burst of facts costs one picture.
    this.timer = setInterval(() => this.draw(), REDRAW_MS);
  }

  /** Where a person types; the picture stays above it. */
  attach(prompt: LinePrompt): void {
    this.prompt = prompt;
  }

  show(scene: Scene): void {
    this.scene = scene;
  }

  say(text: string): void {
    this.clear();
    this.terminal.out(text);
    this.draw();
  }

  /** Enter was pressed: the cursor is on the row below what was typed, which the picture takes over. */
  typed(line: string): void {
    // The cursor is behind what was typed, so a full row has another one below it.
    this.drawn.push(textWidth(this.label + line) + 1);
    this.last = "";
    this.draw();
  }

  end(): void {
    clearInterval(this.timer);
    this.clear();
    this.prompt?.close();
    this.prompt = null;
    this.last = "";
    if (this.scene) this.scene = { ...this.scene, question: null, planningSince: null };
    this.draw();
  }

  private get label(): string {
    return this.scene?.question ? "answer> " : "> ";
  }

  private clear(): void {
    const { columns } = this.terminal;
    const rows = this.drawn.map((width) => Math.max(1, Math.ceil(width / columns)));
    const up = rows.reduce((sum, each) => sum + each, this.prompt?.depth() ?? 0);
    this.terminal.out(`\r${up > 0 ? `\u001b[${up}A` : ""}\u001b[J`);
    this.drawn = [];
    this.last = "";
  }

  private draw(): void {
    if (!this.scene) return;
    const lines = this.lines(this.scene);
    const text = lines.map((line) => `${line}\n`).join("");
    if (text === this.last) return;
    this.clear();
    this.terminal.out(text);
    this.drawn = lines.map((line) => textWidth(safeText(line, false)));
    this.last = text;
    this.prompt?.draw(this.label);
  }

  private lines({ state, conditions, planningSince, question }: Scene): string[] {
    const { terminal } = this;
    const width = terminal.columns - 1;
    const most = Math.max(1, terminal.rows - MARGIN - FEWEST_ROWS);
    const asked = question ? questionLines(terminal, question, width).slice(0, most) : [];
    const now = this.now();
    const seconds = Math.round((now - (planningSince ?? 0)) / 1_000);
    const planning =
      planningSince === null ? [] : [paint(terminal, "cyan", `planning… ${seconds} s`)];
    const rows = Math.max(FEWEST_ROWS, terminal.rows - MARGIN - asked.length - planning.length);
    const isEmpty = state.tasks.size === 0 && planning.length > 0;
    const plan = isEmpty
      ? []
      : planLines(terminal, { state, conditions: conditions.current, now }, rows - 1);
    return [...plan, ...planning, ...asked];
  }
}
