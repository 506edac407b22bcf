/**
 * A reply without its list of new tasks, which stand below it as links. Only a list that names exactly these tasks, in this
 * order, is taken out; anything else is what somebody said.
 */
export function withoutTaskList(content: string, titles: readonly string[]): string {
  if (titles.length === 0) return content;
  const lines = content.split("\n");
  const first = lines.indexOf(`- ${titles[0]}`);
  const isTheList =
    first > 0 &&
    titles.every((title, i) => lines[first + i] === `- ${title}`) &&
    /^\*\*.+\*\*$/.test(lines[first - 1] ?? "") &&
    (lines[first + titles.length] ?? "") === "";
  if (!isTheList) return content;
  return [...lines.slice(0, first - 1), ...lines.slice(first + titles.length + 1)]
    .join("\n")
    .trimEnd();
}
