import type { Component } from "svelte";
import BacklogPanel from "../src/features/backlog/BacklogPanel.svelte";
import ChatPanel from "../src/features/chat/ChatPanel.svelte";
import FacetBar from "../src/features/facets/FacetBar.svelte";
import HistoryPanel from "../src/features/history/HistoryPanel.svelte";
import LogPanel from "../src/features/log/LogPanel.svelte";
import ActivityPanel from "../src/features/processes/ActivityPanel.svelte";
import GeneralSettings from "../src/features/settings/GeneralSettings.svelte";
import LlmSettings from "../src/features/settings/LlmSettings.svelte";
import LookSettings from "../src/features/settings/LookSettings.svelte";
import ToolingSettings from "../src/features/settings/ToolingSettings.svelte";
import TaskPanel from "../src/features/task/TaskPanel.svelte";
import LoginNeeded from "../src/features/welcome/LoginNeeded.svelte";
import ConnectionBanner from "../src/features/toolbar/ConnectionBanner.svelte";
import WorkspaceMenu from "../src/features/toolbar/WorkspaceMenu.svelte";
import type { Ide } from "../src/ide.svelte.ts";
import PlanPanel from "../src/PlanPanel.svelte";
import { planState } from "../src/testing/plan-fixture.ts";
import FieldsStory from "./FieldsStory.svelte";
import GraphStory from "./GraphStory.svelte";
import PartMissingStory from "./PartMissingStory.svelte";
import PrimitivesStory from "./PrimitivesStory.svelte";
import ScreenStory from "./ScreenStory.svelte";
import { ODD_TASKS } from "./odd-tasks.ts";
import { busyState, doneState, manyTasks, storyIde, withLog } from "./story-ide.ts";
import TaskPartsStory from "./TaskPartsStory.svelte";
import ToastsStory from "./ToastsStory.svelte";
import ToolbarStory from "./ToolbarStory.svelte";
import WelcomeStory from "./WelcomeStory.svelte";

export interface Story {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly component: Component;
  readonly ide: () => Ide;
  /** Done once it is shown: something opens. */
  readonly play?: Play;
}
type Play = (frame: HTMLElement) => void;

const empty = () => storyIde(planState([]));
const busy =
  (arrange: (ide: Ide) => void = () => {}) =>
  () =>
    storyIde(busyState(), arrange);
const task = (id: string) => busy((ide) => ide.select(id));

/** A whole screen, as large as the window. */
const FULL = [0, 0] as const;
const screen = (arrange: (ide: Ide) => void = () => {}) =>
  busy((ide) => {
    ide.select("store");
    withLog(ide);
    arrange(ide);
  });

const story = (
  name: string,
  [width, height]: readonly [number, number],
  component: Component,
  ide: () => Ide,
  play?: Play,
): Story => ({ name, width, height, component, ide, ...(play && { play }) });

const find = (frame: HTMLElement, selector: string): HTMLElement => {
  const found = frame.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the story has no ${selector}`);
  return found;
};
const click =
  (selector: string): Play =>
  (frame) =>
    find(frame, selector).click();
/** As the Enter key does it: the keyboard opens what a pointer would. */
const enter =
  (selector: string): Play =>
  (frame) => {
    const found = find(frame, selector);
    found.focus();
    found.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  };

/** Every component in its states. */
export const STORIES: readonly Story[] = [
  story("primitives", [720, 560], PrimitivesStory, empty),
  story("toolbar-empty", [1200, 60], ToolbarStory, empty),
  story("toolbar-busy", [1200, 60], ToolbarStory, busy()),
  story(
    "banner-lost",
    [900, 60],
    ConnectionBanner,
    busy((ide) => (ide.workspace.link = "lost")),
  ),
  story("facets", [280, 110], FacetBar, busy()),
  story("facets-open", [680, 330], FacetBar, busy(), click("[aria-haspopup=dialog]")),
  story("select-open", [280, 340], FacetBar, busy(), enter("[role=combobox]")),
  story("menu-open", [280, 160], WorkspaceMenu, busy(), enter("[aria-haspopup=menu]")),
  story(
    "plan",
    [300, 460],
    PlanPanel,
    busy((ide) => ide.select("store")),
  ),
  story(
    "plan-filtered",
    [300, 300],
    PlanPanel,
    busy((ide) => (ide.filter = { text: "the", facets: { phaseName: ["Build"] } })),
  ),
  story("plan-empty", [300, 300], PlanPanel, empty),
  story(
    "graph",
    [1000, 460],
    GraphStory,
    busy((ide) => ide.select("store")),
  ),
  story("graph-empty", [600, 300], GraphStory, empty),
  story("graph-large", [900, 460], GraphStory, () => storyIde(planState(manyTasks(1_000)))),
  story("chat", [560, 460], ChatPanel, busy()),
  story("chat-empty", [560, 320], ChatPanel, empty),
  story("task-none", [380, 240], TaskPanel, empty),
  story("task-summary", [380, 420], TaskPanel, busy()),
  story("task-done", [380, 420], TaskPanel, () => storyIde(doneState())),
  story("task-succeeded", [380, 560], TaskPanel, task("list")),
  story("task-failed", [380, 480], TaskPanel, task("login")),
  story("task-blocked", [380, 320], TaskPanel, task("share")),
  story("log", [640, 260], LogPanel, busy(withLog)),
  story("log-empty", [640, 200], LogPanel, empty),
  story("inbox", [380, 420], BacklogPanel, busy()),
  story("inbox-empty", [380, 220], BacklogPanel, empty),
  story("resolve-failure", FULL, BacklogPanel, busy(), click(".FAILURE .button.plain")),
  story("resolve-question", FULL, BacklogPanel, busy(), click(".QUESTION .button.primary")),
  story("delete", FULL, TaskPanel, task("list"), click(".actions .button.quiet")),
  story("activity", [380, 520], ActivityPanel, busy()),
  story("history", [380, 360], HistoryPanel, busy()),
  story("settings-look", [640, 240], LookSettings, busy()),
  story("settings-general", [640, 620], GeneralSettings, busy()),
  story("settings-llm", [640, 420], LlmSettings, busy()),
  story("settings-tooling", [760, 560], ToolingSettings, busy()),
  story("welcome", FULL, WelcomeStory, empty),
  story("fields", [720, 520], FieldsStory, empty),
  story("toasts", [420, 200], ToastsStory, empty),
  story("task-parts", [1240, 660], TaskPartsStory, task("list")),
  story("part-missing", [420, 200], PartMissingStory, empty),
  story("login", FULL, LoginNeeded, empty),
  story("screen", FULL, ScreenStory, screen()),
  story("screen-empty", FULL, ScreenStory, empty),
  story(
    "screen-inbox",
    FULL,
    ScreenStory,
    screen((ide) => ide.show("inbox")),
  ),
  story(
    "screen-activity",
    FULL,
    ScreenStory,
    screen((ide) => ide.show("activity")),
  ),
  story(
    "screen-past",
    FULL,
    ScreenStory,
    screen((ide) => {
      ide.show("history");
      ide.workspace.past = planState([]);
    }),
  ),
  story(
    "screen-palette",
    FULL,
    ScreenStory,
    screen((ide) => (ide.overlay = "palette")),
  ),
  story(
    "screen-help",
    FULL,
    ScreenStory,
    screen((ide) => (ide.overlay = "help")),
  ),
  story(
    "screen-settings",
    FULL,
    ScreenStory,
    screen((ide) => ide.showSettings("general")),
  ),
  story("screen-odd", FULL, ScreenStory, () =>
    storyIde(planState(ODD_TASKS), (ide) => ide.select("long")),
  ),
  story(
    "screen-plan",
    FULL,
    ScreenStory,
    screen((ide) => (ide.phone = "plan")),
  ),
  story(
    "screen-log",
    FULL,
    ScreenStory,
    screen((ide) => (ide.phone = "log")),
  ),
];
