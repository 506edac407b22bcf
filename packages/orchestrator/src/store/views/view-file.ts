import type { FileSystem } from "../file-system.ts";
import { isMissing } from "../file-system.ts";

/** tmp → rename, without fsync: a view that a power cut spoils is written again on opening. */
export async function replaceFile(fs: FileSystem, path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await fs.writeFile(draft, text);
    await fs.rename(draft, path);
  } catch (error) {
    await fs.remove(draft).catch(() => {});
    throw error;
  }
}

/** A file's text; null if it is missing, undefined if it is there but cannot be read. */
export async function readView(fs: FileSystem, path: string): Promise<string | null | undefined> {
  try {
    return (await fs.readFile(path)).toString("utf8");
  } catch (error) {
    return isMissing(error) ? null : undefined;
  }
}

/** Whether a file holds JSON (or, for .jsonl, whole lines of it). */
export function isReadable(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What cannot be read is not overwritten but kept beside, for a person to look at. */
export async function keepAside(fs: FileSystem, path: string, now: Date): Promise<string> {
  const aside = `${path}.corrupt-${now.toISOString().replaceAll(/[-:.]/g, "")}`;
  await fs.rename(path, aside);
  return aside;
}
