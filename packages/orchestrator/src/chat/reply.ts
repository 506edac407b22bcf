import type { MultiverseError } from "@multiverse/protocol/error";
import type { PlanChangeTitles } from "@multiverse/protocol/plan-change";
import type { PlanPatch } from "@multiverse/protocol/plan-patch";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { statusOf } from "@multiverse/protocol/status";
import { TASK_STATUSES } from "@multiverse/protocol/task";
import type { PlanChange } from "../plan/patch-to-facts.ts";
import type { Control } from "./control-words.ts";
import type { Language } from "./language.ts";

/** What the chat answers, as Markdown. Pure words; nothing here decides anything. */

const WORDS = {
  en: {
    created: "Created",
    updated: "Updated",
    moved: "Moved",
    deleted: "Deleted",
    conflicts: "May collide, so they run one after the other",
    nothing: "The plan stays as it is.",
    more: (n: number) => `… and ${n} more`,
    undone: "The last plan change was taken back.",
    failed: "I could not change the plan, so it is as it was.",
    refused: "The plan change was refused, so the plan is as it was.",
  },
  ja: {
    created: "作成",
    updated: "更新",
    moved: "移動",
    deleted: "削除",
    conflicts: "衝突の可能性があるため、順番に実行します",
    nothing: "計画はそのままです。",
    more: (n: number) => `… 他 ${n} 件`,
    undone: "直前の計画変更を取り消しました。",
    failed: "計画を変更できませんでした。計画は元のままです。",
    refused: "計画の変更は拒否されました。計画は元のままです。",
  },
} as const;

const SHOWN = 20;

function section(heading: string, items: readonly string[], more: (n: number) => string): string {
  if (items.length === 0) return "";
  const shown = items.slice(0, SHOWN).map((item) => `- ${item}`);
  if (items.length > SHOWN) shown.push(`- ${more(items.length - SHOWN)}`);
  return `**${heading}**\n${shown.join("\n")}`;
}

export function planReply(
  after: WorkspaceState,
  patch: PlanPatch,
  change: PlanChange,
  language: Language,
): string {
  const words = WORDS[language];
  const title = (id: string) => after.nodes.get(id)?.title ?? id;
  const conflicts = patch.potentialConflicts.map(({ file, warning }) =>
    [file, warning].filter(Boolean).join(": "),
  );
  const titles = {
    created: change.created.map(title),
    updated: change.updated.map(title),
    moved: change.moved.map(title),
    deleted: change.deleted.map(({ title: name }) => name),
  };
  const changed = [
    ...changeSections(titles, language),
    section(words.conflicts, conflicts.filter(Boolean), words.more),
  ].filter(Boolean);
  return [patch.understanding, ...(changed.length > 0 ? changed : [words.nothing])]
    .filter(Boolean)
    .join("\n\n");
}

const changeSections = (change: PlanChangeTitles, language: Language): string[] => {
  const words = WORDS[language];
  return [
    section(words.created, change.created, words.more),
    section(words.updated, change.updated, words.more),
    section(words.moved, change.moved, words.more),
    section(words.deleted, change.deleted, words.more),
  ].filter(Boolean);
};

export const undoReply = (change: PlanChangeTitles, language: Language): string =>
  [WORDS[language].undone, ...changeSections(change, language)].join("\n\n");

export function failureReply(error: MultiverseError, language: Language): string {
  const words = WORDS[language];
  return `${error.code === "PATCH_REFUSED" ? words.refused : words.failed}\n\n${error.message}\n\n${error.hint}`;
}

/** Control words that steer execution. */
export type ExecutionControl = Exclude<Control, "status" | "undo">;

const DONE: Readonly<Record<ExecutionControl, Record<Language, string>>> = {
  stop: {
    en: "Stopped. Running tasks were cancelled and wait again.",
    ja: "停止しました。実行中のタスクは取り消され、待機に戻りました。",
  },
  pause: {
    en: "Paused. Running tasks go on; no new one starts.",
    ja: "一時停止しました。実行中のタスクは続き、新しいタスクは始まりません。",
  },
  resume: { en: "Running.", ja: "再開しました。" },
};

export const controlReply = (control: ExecutionControl, language: Language): string =>
  DONE[control][language];

/** Tasks per step, where there are many. */
const STEP = 1_000;

/** Where everything stands. In steps: a large plan has many statuses. */
export function* statusReply(
  state: WorkspaceState,
  now: number,
  language: Language,
): Generator<undefined, string> {
  const counts = new Map<string, number>();
  let seen = 0;
  for (const task of state.tasks.values()) {
    if (++seen % STEP === 0) yield;
    const status = statusOf(state, task, now);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const lines = TASK_STATUSES.filter((status) => counts.has(status)).map(
    (status) => `- ${status}: ${counts.get(status)}`,
  );
  const running = [...state.index.running].map(
    (id) => state.nodes.get(state.tasks.get(id)?.nodeId ?? "")?.title ?? id,
  );
  const open = [...state.backlog.values()].filter((item) => item.resolvedAt === null).length;
  const words = {
    en: { state: "Execution", running: "Running", open: "Waiting for you" },
    ja: { state: "実行状態", running: "実行中", open: "あなたの回答待ち" },
  }[language];
  return [
    `**${words.state}**: ${state.execution.status}`,
    lines.join("\n"),
    running.length > 0 ? `**${words.running}**: ${running.join(", ")}` : "",
    open > 0 ? `**${words.open}**: ${open}` : "",
  ]
    .filter(Boolean)
    .join("\n\n");
}
