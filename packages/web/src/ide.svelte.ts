import type { Conditions } from "@multiverse/protocol/scheduling/conditions";
import { createContext, untrack } from "svelte";
import type { Api } from "@multiverse/protocol/http/api";
import { criticalPath, type CriticalPath } from "./features/graph/critical-path.ts";
import {
  GROUPINGS,
  matching,
  noFilter,
  readFilter,
  writeFilter,
  type Filter,
  type Grouping,
} from "./features/facets/filter.ts";
import type { Card } from "./workspace/card.ts";
import { Load } from "./workspace/load.svelte.ts";
import type { Workspace } from "./workspace/workspace.svelte.ts";

export const SIDE_TABS = ["task", "inbox", "activity", "history"] as const;
export type SideTab = (typeof SIDE_TABS)[number];
export const PHONE_TABS = ["chat", "plan", "task", "log", "inbox"] as const;
export type PhoneTab = (typeof PHONE_TABS)[number];
export const SETTINGS_TABS = ["look", "general", "llm", "tooling"] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];
export type Overlay = "palette" | "help" | "settings" | null;

/** What a person looks at in one workspace: selection, filter, open panels. Selecting in one view selects in all. */
export class Ide {
  readonly api: Api;
  readonly workspace: Workspace;
  /** The scripted agent is at work. */
  demo = $state(false);
  /** Why the workspace is read-only, if it is. */
  damage: string | null = $state(null);

  selected: string | null = $state(null);
  filter: Filter = $state.raw(noFilter);
  grouping: Grouping = $state("milestone");
  side: SideTab = $state("task");
  phone: PhoneTab = $state("chat");
  overlay: Overlay = $state(null);
  settings: SettingsTab = $state("look");
  /** The log shows only this task. */
  logTask: string | null = $state(null);
  chatSession: string | null = $state(null);
  narrow = $state(false);
  /** Grows when someone asks to see the selected task in the graph. */
  revealed = $state(0);

  /** What decides beside the plan about starts: asked for when somebody looks at a task that waits. */
  readonly conditions = new Load<Conditions>();

  #matched: ReadonlySet<string> | null = null;
  /** What the filter lets through; the same set as long as nothing comes or goes. */
  readonly matching: ReadonlySet<string> | null = $derived.by(() => {
    const next = matching(this.workspace.plan, this.filter);
    if (!sameIds(next, this.#matched)) this.#matched = next;
    return this.#matched;
  });
  readonly #progress = $derived.by(
    () => this.workspace.plan.progress + this.workspace.plan.structure,
  );
  readonly critical: CriticalPath = $derived.by(() => {
    void this.#progress;
    return criticalPath(untrack(() => this.workspace.plan.cards));
  });
  readonly card: Card | undefined = $derived.by(() =>
    this.selected === null ? undefined : this.workspace.plan.cards.get(this.selected),
  );

  constructor(api: Api, workspace: Workspace) {
    this.api = api;
    this.workspace = workspace;
  }

  /** What the page can do without at first: who works here, and whether the workspace is sound. */
  async learn(): Promise<void> {
    const [doctor, summary] = await Promise.allSettled([
      this.api.doctor(),
      this.api.workspace(this.workspace.id),
    ]);
    if (doctor.status === "fulfilled") this.demo = doctor.value.demo;
    if (summary.status === "fulfilled") this.damage = summary.value.damage;
  }

  learnConditions(): void {
    void this.conditions.from(async () => (await this.workspace.api.pools()).conditions);
  }

  select(id: string | null): void {
    this.selected = id;
  }

  /** Select it and show its panel. */
  openTask(id: string): void {
    this.selected = id;
    this.side = "task";
    this.phone = "task";
    this.revealed += 1;
  }

  show(tab: SideTab): void {
    this.side = tab;
    this.phone = tab === "task" ? "task" : "inbox";
  }

  showSettings(tab: SettingsTab): void {
    this.settings = tab;
    this.overlay = "settings";
  }

  showLog(taskId: string | null): void {
    this.logTask = taskId;
    this.phone = "log";
  }

  readUrl(params: URLSearchParams): void {
    this.selected = params.get("task");
    this.filter = readFilter(params);
    this.grouping = GROUPINGS.find((g) => g === params.get("group")) ?? "milestone";
  }

  writeUrl(params: URLSearchParams): void {
    writeFilter(this.filter, params);
    set(params, "task", this.selected);
    set(params, "group", this.grouping === "milestone" ? null : this.grouping);
  }
}

function sameIds(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): boolean {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every((id) => b.has(id));
}

function set(params: URLSearchParams, key: string, value: string | null): void {
  if (value === null) params.delete(key);
  else params.set(key, value);
}

export const [useIde, provideIde] = createContext<Ide>();
