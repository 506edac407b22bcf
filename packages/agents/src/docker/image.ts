import type { RunEventOf } from "@multiverse/protocol/run-event";
import { Progress } from "./answers.ts";
import type { Engine } from "./engine.ts";
import { EngineAnswer } from "./errors.ts";

export async function hasImage(engine: Engine, image: string): Promise<boolean> {
  try {
    await engine.call("GET", `/images/${encodeURIComponent(image)}/json`);
    return true;
  } catch (error) {
    if (error instanceof EngineAnswer && error.status === 404) return false;
    throw error;
  }
}

/** Nobody needs more than this many lines a second of progress. */
const PROGRESS_MS = 500;

/** Fetches an image; null if it is there then, else why not. */
export async function pullImage(
  engine: Engine,
  image: string,
  signal: AbortSignal,
  report: (event: RunEventOf<"container">) => void,
): Promise<string | null> {
  const [name, tag] = nameAndTag(image);
  let failure: string | null = null;
  let told = -Infinity; // the first line is always told
  const onLine = (line: string): void => {
    const { status, id, progress, error } = progressIn(line);
    if (error !== undefined) failure = error;
    if (performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    const message = [id, status, progress].filter(Boolean).join(" ");
    report({ type: "container", phase: "pulling", image, message });
  };
  try {
    const path = `/images/create?fromImage=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`;
    await engine.lines(path, { onLine, signal, silenceMs: 60_000 });
  } catch (error) {
    if (error instanceof EngineAnswer) return error.message;
    throw error;
  }
  return failure;
}

export function progressIn(line: string): ReturnType<typeof Progress.parse> {
  try {
    return Progress.catch({}).parse(JSON.parse(line));
  } catch {
    return {};
  }
}

/** The colon of a port is not that of a tag: only one behind the last slash counts. */
function nameAndTag(image: string): [name: string, tag: string] {
  if (image.includes("@")) return [image, ""];
  const colon = image.indexOf(":", image.lastIndexOf("/") + 1);
  return colon === -1 ? [image, "latest"] : [image.slice(0, colon), image.slice(colon + 1)];
}
