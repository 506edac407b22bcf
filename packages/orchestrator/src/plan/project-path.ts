import { MultiverseError } from "@multiverse/protocol/error";

/**
 * A file path a model or a person named, relative to the project, with "." and ".." resolved. Paths are compared to keep
 * tasks apart and shown to workers, so one that leaves the project is refused. Pure text: nothing is looked up on disk.
 */
export function projectPath(path: string, projectRoot: string): string {
  const root = `${projectRoot.replace(/\/+$/, "")}/`;
  const slashed = path.replaceAll("\\", "/");
  const inside = slashed.startsWith(root) ? slashed.slice(root.length) : slashed;
  if (inside.startsWith("/") || /^[A-Za-z]:\//.test(inside) || inside.includes("\0"))
    throw leaves(path);
  const parts: string[] = [];
  for (const part of inside.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) throw leaves(path);
  }
  const folder = inside.endsWith("/") && parts.length > 0 ? "/" : "";
  return parts.join("/") + folder || ".";
}

const leaves = (path: string): MultiverseError =>
  new MultiverseError(
    "PATCH_REFUSED",
    `file path ${JSON.stringify(path.slice(0, 200))} leaves the project`,
    {
      hint: "Name files relative to the project folder.",
    },
  );
