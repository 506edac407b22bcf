import { isObeyedPath, isPackageFile } from "@multiverse/protocol/obeyed-path";

/** Whether a person should look at a changed file before something else obeys it. */
export const needsReview = (path: string, before: Buffer | null, after: Buffer | null): boolean =>
  isObeyedPath(path) || (isPackageFile(path) && partsThatRun(before) !== partsThatRun(after));

/** The parts of a package.json that npm runs or fetches; a text that is none counts as a part of its own. */
function partsThatRun(bytes: Buffer | null): string {
  if (bytes === null) return "[]";
  try {
    const { scripts, ...rest } = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    const fetched = Object.entries(rest).filter(([key]) => /dependencies$|^overrides$/i.test(key));
    return scripts === undefined && fetched.length === 0
      ? "[]"
      : JSON.stringify([scripts, fetched]);
  } catch {
    return bytes.toString("utf8");
  }
}
