import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program is found, as a shell would look for it; null if it is not installed. */
export async function onPath(command: string, path: string): Promise<string | null> {
  const places = isAbsolute(command)
    ? [command]
    : path
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, command));
  for (const place of places) {
    const isProgram = await access(place, constants.X_OK)
      .then(async () => (await stat(place)).isFile())
      .catch(() => false);
    if (isProgram) return place;
  }
  return null;
}
