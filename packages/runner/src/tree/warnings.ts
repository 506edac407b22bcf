import { isObeyedPath, isPackageFile } from "@multiverse/protocol/obeyed-path";
import type { Change } from "./tree.ts";

const TEST_FILE =
  /(^|\/)(__tests__|tests?|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec|tests|specs)\.[A-Za-z0-9]+$/;

/** What a person should look at among the changes of a run. */
export function treeWarnings(changes: readonly Change[]): string[] {
  const isBare = bareRepositories(changes);
  return changes.flatMap(({ path, kind }) => {
    const shown = JSON.stringify(path);
    if ((kind === "deleted" || kind === "emptied") && TEST_FILE.test(path))
      return [`test file ${kind}: ${shown}`];
    if (kind !== "deleted" && (isObeyedPath(path) || isPackageFile(path) || isBare(path))) {
      return [
        `executable configuration ${kind}: ${shown}; review it before you run anything from the tree`,
      ];
    }
    return [];
  });
}

/**
 * A folder with a HEAD beside a configuration or hooks is a repository to a git that is called in it, whatever its name.
 * True for its HEAD, which stands for it.
 */
function bareRepositories(changes: readonly Change[]): (path: string) => boolean {
  const obeyed = new Set(
    changes.flatMap(({ path, kind }) => {
      const folder = /^(.*\/)?(?:config|commondir|hooks\/[^/]+)$/.exec(path);
      return folder && kind !== "deleted" ? [folder[1] ?? ""] : [];
    }),
  );
  return (path) => /(^|\/)HEAD$/.test(path) && obeyed.has(path.slice(0, -"HEAD".length));
}
