import { expect, test } from "vitest";
import { RUN_STATES, TERMINAL_STATES } from "@multiverse/protocol/run-result";
import { TRANSITIONS, isTerminal, nextState } from "./fsm.ts";
import type { RunStep } from "./fsm.ts";

test("the table holds exactly the transitions of the specification", () => {
  expect(TRANSITIONS.map(([from, to]) => `${from} → ${to}`).toSorted()).toEqual([
    "PENDING → FAILED",
    "PENDING → PLANNING",
    "PLANNING → FAILED",
    "PLANNING → RUNNING",
    "RUNNING → FAILED",
    "RUNNING → NEEDS_REVIEW",
    "RUNNING → VALIDATING",
    "RUNNING → VALIDATING",
    "VALIDATING → COMPLETE",
    "VALIDATING → FAILED",
    "VALIDATING → RUNNING",
  ]);
});

test("final states are final", () => {
  expect(RUN_STATES.filter(isTerminal)).toEqual([...TERMINAL_STATES]);
});

const STEPS: RunStep[] = [
  "start",
  "planned",
  "worked",
  "claimed",
  "asked",
  "satisfied",
  "unsatisfied",
  "fail",
];

test("any step that is not in the table throws", () => {
  const legal = RUN_STATES.flatMap((state) =>
    STEPS.filter((step) => {
      try {
        nextState(state, step);
        return true;
      } catch {
        return false;
      }
    }),
  );
  expect(legal).toHaveLength(TRANSITIONS.length);
  expect(() => nextState("COMPLETE", "fail")).toThrow("illegal transition: fail in COMPLETE");
});
