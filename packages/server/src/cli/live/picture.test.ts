import { after, create, emptyPlan } from "@multiverse/orchestrator/testing/states";
import { afterEach, expect, test, vi } from "vitest";
import { screenOf } from "../../testing/screen.ts";
import type { Terminal } from "../terminal.ts";
import { Picture } from "./picture.ts";

const made: Picture[] = [];
afterEach(() => {
  for (const picture of made.splice(0)) picture.end();
  vi.useRealTimers();
});

function draw(columns: number, rows = 24) {
  vi.useFakeTimers();
  let output = "";
  const terminal = {
    out: (text: string) => void (output += text),
    err: (text: string) => void (output += text),
    isTerminal: true,
    colours: true,
    columns,
    rows,
  } satisfies Terminal;
  let now = 0;
  const picture = new Picture(terminal, () => now);
  made.push(picture);
  const prompt = {
    depth: () => 0,
    draw: (label: string) => terminal.out(label),
    close: vi.fn<() => void>(),
  };
  return {
    picture,
    prompt,
    pass: (ms: number): void => {
      now += ms;
      vi.advanceTimersByTime(ms);
    },
    resize: (width: number): void => void (terminal.columns = width),
    screen: () => screenOf(output, terminal.columns).filter((row) => row !== ""),
  };
}

const state = after(emptyPlan, create("Build the list"), create("画面を作る".repeat(10)));
const nothing = {
  state: emptyPlan,
  conditions: { current: null },
  planningSince: null,
  question: null,
};
const question = {
  id: "bl-1",
  text: "Should the list survive a restart of the server, and of the machine?",
  options: ["Yes, in a file", "No"],
  default: "No",
};

test("the plan is drawn in place, however often", () => {
  const { picture, pass, screen } = draw(60);
  picture.show({ ...nothing, state });
  for (let i = 0; i < 20; i++) pass(1_000);
  expect(screen()).toEqual([
    "· PENDING    Build the list",
    expect.stringMatching(/^· PENDING {4}画面を作る.*…$/),
    "2 tasks: 2 pending",
  ]);
});

test("while the planner thinks, the seconds pass", () => {
  const { picture, pass, screen } = draw(60);
  picture.show({ ...nothing, planningSince: 0 });
  pass(7_000);
  expect(screen()).toEqual(["planning… 7 s"]);
});

test("what is said stays above, and the picture below it is there once", () => {
  const { picture, pass, screen } = draw(60);
  picture.show({ ...nothing, state });
  pass(200);
  picture.say("first\n");
  picture.say("second\n");
  pass(200);
  expect(screen().slice(0, 2)).toEqual(["first", "second"]);
  expect(screen()).toHaveLength(5);
});

test("a question stands between the plan and the line to type into, and fits a narrow window", () => {
  const { picture, prompt, pass, screen } = draw(24);
  picture.attach(prompt);
  picture.show({ ...nothing, state, question });
  pass(200);
  const rows = screen();
  expect(rows.every((row) => row.length <= 24)).toBe(true);
  expect(rows.slice(3)).toEqual([
    "? Should the list",
    "  survive a restart of",
    "  the server, and of",
    "  the machine?",
    "  1. Yes, in a file",
    "  2. No (default)",
    "answer> ",
  ]);
});

test("after Enter the typed line is taken over, not left behind", () => {
  const { picture, prompt, pass, screen } = draw(24);
  picture.attach(prompt);
  picture.show({ ...nothing, state });
  pass(200);
  const before = screen();
  const long = "word ".repeat(10);
  picture.say(""); // as if typing had left the cursor at the end of the prompt
  prompt.draw(`${long}\n`);
  picture.typed(long);
  expect(screen()).toEqual(before);
});

test("a plan longer than the window shows what moves, and never scrolls", () => {
  const many = after(
    emptyPlan,
    ...Array.from({ length: 100 }, (_, i) => create(`t${i}`, { tempId: `t${i}` })),
  );
  const { picture, pass, screen } = draw(40, 10);
  picture.show({ ...nothing, state: many });
  for (let i = 0; i < 5; i++) pass(1_000);
  expect(screen().length).toBeLessThanOrEqual(10);
  expect(screen().at(-1)).toBe("100 tasks: 100 pending");
});

test.each([
  ["narrower", 60, 25],
  ["wider", 25, 60],
])("in a window that becomes %s the picture is drawn anew in its place", (_, from, to) => {
  const { picture, pass, resize, screen } = draw(from);
  picture.show({ ...nothing, state, question });
  pass(200);
  resize(to);
  pass(200);
  const { picture: fresh, pass: passFresh, screen: expected } = draw(to);
  fresh.show({ ...nothing, state, question });
  passFresh(200);
  expect(screen()).toEqual(expected());
});

test("at the end the question and the prompt are gone and the plan stays", () => {
  const { picture, prompt, pass, screen } = draw(60);
  picture.attach(prompt);
  picture.show({ ...nothing, state, question });
  pass(200);
  picture.end();
  expect(prompt.close).toHaveBeenCalledOnce();
  expect(screen()).toHaveLength(3);
});
