import { isObeyedPath, isPackageFile } from "@multiverse/protocol/obeyed-path";
import type { Change } from "./tree.ts";

const TEST_FILE =
  /(^|\/)(__tests__|tests?|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec|tests|specs)\.[A-Za-z0-9]+$/;

/** What a person should look at among the changes of a run. */
export function treeWarnings(changes: readonly Change[]): string[] {
  return changes.flatMap(({ path, kind }) => {
    const shown = JSON.stringify(path);
    if ((kind === "deleted" || kind === "emptied") && TEST_FILE.test(path))
      return [`test file ${kind}: ${shown}`];
    if (kind !== "deleted" && (isObeyedPath(path) || isPackageFile(path))) {
      return [
        `executable configuration ${kind}: ${shown}; review it before you run anything from the tree`,
      ];
    }
    return [];
  });
}
