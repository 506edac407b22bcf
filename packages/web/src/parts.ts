/** What the page fetches after its first paint: the parts that not everyone looks at at once. */
export const PARTS = {
  graph: () => import("./features/graph/GraphPanel.svelte"),
  palette: () => import("./features/palette/Palette.svelte"),
  help: () => import("./features/shortcuts/HelpSheet.svelte"),
  settings: () => import("./features/settings/SettingsDialog.svelte"),
  inbox: () => import("./features/backlog/BacklogPanel.svelte"),
  activity: () => import("./features/processes/ActivityPanel.svelte"),
  history: () => import("./features/history/HistoryPanel.svelte"),
  editor: () => import("./features/task/TaskEditor.svelte"),
  changes: () => import("./features/task/ChangesView.svelte"),
  note: () => import("./features/task/NoteView.svelte"),
  attempts: () => import("./features/task/AttemptList.svelte"),
} as const;

/**
 * Fetches every part while the browser has nothing else to do, so that a key opens its panel at once, and a panel opens
 * while the server is away. One that fails is asked for again when it is needed.
 */
export function fetchWhenIdle(): () => void {
  const waiting = Object.values(PARTS);
  let idle = requestIdleCallback(next);
  function next(): void {
    const part = waiting.shift();
    if (part === undefined) return;
    const goOn = () => {
      idle = requestIdleCallback(next);
    };
    part().then(goOn, goOn);
  }
  return () => {
    waiting.length = 0;
    cancelIdleCallback(idle);
  };
}
