import { Tooling } from "@multiverse/protocol/tooling";

/** The profiles that ship with the product; a person's tooling.json replaces them. */

type Line = readonly [tool: string, model: string, weight: number];

const category = (...lines: Line[]): object => ({
  strategy: "weighted",
  fallbackOnRateLimit: true,
  cooldownSec: 120,
  candidates: lines.map(([tool, model, weight]) => ({ tool, model, weight })),
});

const thinking = category(
  ["codex-cli", "gpt-5.2", 40],
  ["claude-code", "claude-sonnet-4-5-20250929", 30],
  ["gemini-cli", "gemini-3-pro-preview", 20],
  ["openai-chat", "gpt-5.2", 10],
);
const quick = category(
  ["gemini-cli", "gemini-3-flash-preview", 50],
  ["codex-cli", "gpt-5.1-codex-mini", 30],
  ["claude-code", "claude-haiku-4-5-20251001", 20],
);

export const SHIPPED_TOOLING: Tooling = Tooling.parse({
  activeProfile: "balanced",
  profiles: [
    {
      id: "balanced",
      name: "Balanced",
      categories: {
        meta: thinking,
        plan: thinking,
        task: thinking,
        execution: thinking,
        worker: category(
          ["codex-cli", "gpt-5.2-codex", 60],
          ["claude-code", "claude-haiku-4-5-20251001", 25],
          ["gemini-cli", "gemini-3-flash-preview", 15],
        ),
      },
    },
    {
      id: "fast",
      name: "Fast",
      categories: {
        meta: quick,
        worker: category(
          ["codex-cli", "gpt-5.1-codex-mini", 60],
          ["gemini-cli", "gemini-3-flash-preview", 40],
        ),
      },
    },
  ],
});
