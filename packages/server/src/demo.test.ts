import { LlmSettings } from "@multiverse/protocol/settings";
import { expect, test } from "vitest";
import type { AgentsHere } from "./agents-here.ts";
import { chooseAgents } from "./demo.ts";

const nothing: AgentsHere = { docker: false, workers: [], planner: null };
const codex = { kind: "codex-cli", login: "~/.codex/auth.json" };
const all: AgentsHere = {
  docker: true,
  workers: [codex, { kind: "gemini-cli", login: "GEMINI_API_KEY" }],
  planner: LlmSettings.parse({ kind: "codex-cli" }),
};

test("with nothing installed the demo agent works, and what is missing is said", () => {
  const { demo, says } = chooseAgents(nothing, null, false);
  expect(demo).toEqual({ on: true, forced: false });
  expect(says).toBe(
    "demo agent: scripted, no AI. For real work: log in to a coding CLI; start Docker (`multiverse doctor` says more)",
  );
});

test("with Docker and a login the real ones work, and it is said which", () => {
  const { demo, says } = chooseAgents(all, null, false);
  expect(demo.on).toBe(false);
  expect(says).toBe(
    "planning: codex-cli · working in Docker: codex-cli (~/.codex/auth.json), gemini-cli (GEMINI_API_KEY)",
  );
});

test("a login without Docker, and one without anybody to plan, are not enough", () => {
  expect(chooseAgents({ ...all, docker: false }, null, false).says).toContain("start Docker");
  const nobodyPlans = chooseAgents({ ...all, planner: null }, null, false);
  expect(nobodyPlans.demo.on).toBe(true);
  expect(nobodyPlans.says).toContain("so that someone can plan");
});

test("a meta-agent that someone chose is kept, whatever is missing", () => {
  const chosen = LlmSettings.parse({ kind: "claude-code" });
  const { demo, says } = chooseAgents(nothing, chosen, false);
  expect(demo.on).toBe(false);
  expect(says).toBe("planning: claude-code · working once Docker runs: nobody is logged in");
});

test("who asks for the demo agent gets it, by flag or by setting", () => {
  expect(chooseAgents(all, null, true).demo).toEqual({ on: true, forced: true });
  const mock = LlmSettings.parse({ kind: "mock" });
  expect(chooseAgents(all, mock, false)).toEqual({
    demo: { on: true, forced: false },
    says: "demo agent: scripted, no AI",
  });
});
