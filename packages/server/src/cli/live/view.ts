import type { Terminal } from "../terminal.ts";
import type { LinePrompt } from "./line-prompt.ts";
import { newsText } from "./lines.ts";
import type { News } from "./news.ts";
import { Picture, type Scene } from "./picture.ts";

/** Shows a plan while it runs. */
export interface LiveView {
  /** News since the last time, and what there is to see now. */
  show(news: readonly News[], scene: Scene): void;
  /** Words of the program itself. */
  say(text: string): void;
  /** For someone who types; null where nobody can. */
  readonly typing: { attach(prompt: LinePrompt): void; typed(line: string): void } | null;
  end(code: number): void;
}

/** On a terminal a picture that is drawn in place; elsewhere a line for each change; for scripts, of JSON. */
export function createLiveView(
  terminal: Terminal,
  form: "picture" | "lines" | "json",
  now: () => number,
): LiveView {
  if (form === "json") {
    const tell = (news: News): void => terminal.out(`${JSON.stringify(news)}\n`);
    return {
      show: (news) => news.forEach(tell),
      say: terminal.err,
      typing: null,
      end: (code) => tell({ type: "finished", code }),
    };
  }
  if (form === "lines")
    return {
      show: (news) => news.forEach((each) => terminal.out(newsText(terminal, each))),
      say: terminal.err,
      typing: null,
      end() {},
    };
  const picture = new Picture(terminal, now);
  return {
    show(news, scene) {
      picture.show(scene);
      for (const each of news)
        if (each.type === "message" || each.type === "answer")
          picture.say(newsText(terminal, each));
    },
    say: (text) => picture.say(text),
    typing: picture,
    end: () => picture.end(),
  };
}
