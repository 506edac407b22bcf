import { Tooling, type ToolCategory } from "@multiverse/protocol/tooling";
import { expect, test } from "vitest";
import { choiceFor } from "./choice.ts";
import { SHIPPED_TOOLING } from "./profiles.ts";
import { toolingWarnings } from "./validate.ts";

const tools = (tooling: Tooling | null, category: ToolCategory): string[] | null =>
  choiceFor(tooling, category)?.candidates.map(
    ({ tool, model, weight }) => `${tool} ${model} ${weight}`,
  ) ?? null;

test("the shipped profiles are those of the documentation", () => {
  const thinking = [
    "codex-cli gpt-5.2 40",
    "claude-code claude-sonnet-4-5-20250929 30",
    "gemini-cli gemini-3-pro-preview 20",
    "openai-chat gpt-5.2 10",
  ];
  for (const category of ["meta", "plan", "task", "execution"] as const) {
    expect(tools(SHIPPED_TOOLING, category)).toEqual(thinking);
  }
  expect(tools(SHIPPED_TOOLING, "worker")).toEqual([
    "codex-cli gpt-5.2-codex 60",
    "claude-code claude-haiku-4-5-20251001 25",
    "gemini-cli gemini-3-flash-preview 15",
  ]);
  const fast = { ...SHIPPED_TOOLING, activeProfile: "fast" };
  expect(tools(fast, "execution")).toEqual([
    "gemini-cli gemini-3-flash-preview 50",
    "codex-cli gpt-5.1-codex-mini 30",
    "claude-code claude-haiku-4-5-20251001 20",
  ]);
  expect(tools(fast, "worker")).toEqual([
    "codex-cli gpt-5.1-codex-mini 60",
    "gemini-cli gemini-3-flash-preview 40",
  ]);
});

test("an unknown active profile gives the first one, and says so", () => {
  const odd = { ...SHIPPED_TOOLING, activeProfile: "nope" };
  expect(tools(odd, "worker")).toEqual(tools(SHIPPED_TOOLING, "worker"));
  expect(toolingWarnings(odd)[0]).toEqual({
    path: "activeProfile",
    message: 'there is no profile "nope"; "balanced" is used',
  });
});

test("a category that is not there falls back to meta, without tools that cannot work", () => {
  const onlyMeta = Tooling.parse({
    profiles: [
      {
        id: "p",
        categories: { meta: { candidates: [{ tool: "openai-chat" }, { tool: "codex" }] } },
      },
    ],
  });
  expect(tools(onlyMeta, "plan")).toEqual(["openai-chat  1", "codex-cli  1"]);
  expect(tools(onlyMeta, "worker")).toEqual(["codex-cli  1"]);
  expect(tools(Tooling.parse({}), "worker")).toBeNull();
  expect(tools(null, "meta")).toBeNull();
});

test("a forced tool is the only one, for everything, without fallback", () => {
  const forced = { ...SHIPPED_TOOLING, force: { enabled: true, tool: "gemini", model: "m" } };
  for (const category of ["meta", "worker"] as const) {
    expect(choiceFor(forced, category)).toMatchObject({
      fallbackOnRateLimit: false,
      candidates: [{ tool: "gemini-cli", model: "m" }],
    });
  }
  const nonsense = { ...SHIPPED_TOOLING, force: { enabled: true, tool: "vim", model: "" } };
  expect(tools(nonsense, "worker")).toEqual(tools(SHIPPED_TOOLING, "worker"));
  expect(toolingWarnings(nonsense).map(({ path }) => path)).toContain("force.tool");
});

test("a model that nobody lists is a warning with its place", () => {
  const paths = toolingWarnings(SHIPPED_TOOLING).map(({ path }) => path);
  expect(paths).toContain("profiles.0.categories.worker.candidates.0.model");
  expect(paths).not.toContain("profiles.0.categories.worker.candidates.1.model");
});
