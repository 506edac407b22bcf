import { mkdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { systemCode } from "@multiverse/protocol/system-code";
import type { Home } from "./home.ts";

/** The real path of a project folder. A folder that is not there yet is made, its parent must exist. */
export async function projectFolder(path: string, home: Home): Promise<string> {
  if (!isAbsolute(path) || path.includes("\0"))
    throw new MultiverseError("INVALID_INPUT", "the path must be absolute", {
      hint: "Give the whole path of the project folder, such as /home/me/project.",
    });
  const wanted = resolve(path);
  try {
    await mkdir(wanted).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
    const real = await realpath(wanted);
    if (!(await stat(real)).isDirectory()) throw new Error(`${basename(wanted)} is not a folder`);
    refuseUnfit(real, await realpath(home.root));
    return real;
  } catch (error) {
    if (error instanceof MultiverseError) throw error;
    throw new MultiverseError("INVALID_INPUT", `${wanted} cannot be used as a project folder`, {
      hint: "Choose a folder that exists, or a new name in one, and that you may write to.",
      cause: error,
    });
  }
}

/** Agents write in the project: it must not be the whole disk or the place where our own truth is kept. */
function refuseUnfit(real: string, home: string): void {
  const isAbove = (a: string, b: string): boolean =>
    a === b || b.startsWith(`${a === "/" ? "" : a}/`);
  if (real !== "/" && real !== home && !isAbove(home, real)) return;
  throw new MultiverseError("INVALID_INPUT", `${real} cannot be a project folder`, {
    hint: "Choose a folder of its own for the project.",
  });
}
