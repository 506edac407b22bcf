import { z } from "zod";

export const WORKER_KINDS = [
  "codex-cli",
  "claude-code",
  "gemini-cli",
  "cursor-cli",
  "mock",
] as const;
export type WorkerKind = (typeof WORKER_KINDS)[number];

const ALIASES: Readonly<Record<string, WorkerKind>> = {
  codex: "codex-cli",
  docker_codex_cli: "codex-cli",
  claude: "claude-code",
  claude_code: "claude-code",
  "claude-code-cli": "claude-code",
  gemini: "gemini-cli",
  cursor: "cursor-cli",
  "cursor-agent": "cursor-cli",
  demo: "mock",
};

/** The kind a name stands for, with the older names people and models still use. */
export function workerKind(name: string): WorkerKind | undefined {
  if ((WORKER_KINDS as readonly string[]).includes(name)) return name as WorkerKind;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

export const WorkerKindName = z.string().transform((name, ctx): WorkerKind => {
  const kind = workerKind(name);
  if (kind) return kind;
  ctx.addIssue({
    code: "custom",
    message: `unknown worker kind ${JSON.stringify(name.slice(0, 80))}; known: ${WORKER_KINDS.join(", ")}`,
  });
  return z.NEVER;
});

export const META_KINDS = [
  "openai-chat",
  "codex-cli",
  "claude-code",
  "gemini-cli",
  "cursor-cli",
  "mock",
] as const;
export type MetaKind = (typeof META_KINDS)[number];
export const MetaKindName = z.string().transform((name, ctx): MetaKind => {
  if (name === "openai-chat") return name;
  const kind = workerKind(name);
  if (kind) return kind;
  ctx.addIssue({
    code: "custom",
    message: `unknown meta-agent kind ${JSON.stringify(name.slice(0, 80))}; known: ${META_KINDS.join(", ")}`,
  });
  return z.NEVER;
});
