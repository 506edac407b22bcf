export const storyTheme = (): "dark" | "light" =>
  document.documentElement.dataset["theme"] === "light" ? "light" : "dark";
