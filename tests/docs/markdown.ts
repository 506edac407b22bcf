import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";

export interface Page {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The nearest heading above it. */
  readonly heading: string;
}

/** Every page a person is meant to read. */
export function pages(): Page[] {
  const top = readdirSync(root).filter((name) => name.endsWith(".md"));
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return [...top, ...docs]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

export function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  let heading = "";
  let open: { language: string; lines: string[] } | null = null;
  for (const line of markdown.split("\n")) {
    const fence = /^```(\w*)$/.exec(line);
    if (open !== null && fence) {
      found.push({ language: open.language, text: open.lines.join("\n"), heading });
      open = null;
    } else if (fence) {
      open = { language: fence[1] ?? "", lines: [] };
    } else if (open !== null) {
      open.lines.push(line);
    } else if (line.startsWith("#")) {
      heading = line.replace(/^#+ /, "");
    }
  }
  return found;
}

/** The anchor GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** The page's headings, outside code. */
export function headings(markdown: string): string[] {
  const outside = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...outside.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
}

/** Targets of links and images, outside code. */
export function links(markdown: string): string[] {
  const outside = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...outside.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}
