import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { factFromWire } from "@multiverse/protocol/fact-wire";
import { FactWire, type Fact } from "@multiverse/protocol/fact";

/** The whole history of the only workspace of a home, as it stands on the disk. */
export async function readHistory(home: string): Promise<Fact[]> {
  const folder = join(await workspaceDir(home), "history");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts
    .flatMap((text) => text.split("\n").filter(Boolean))
    .map((line) => factFromWire(FactWire.parse(JSON.parse(line))))
    .sort((a, b) => a.seq - b.seq);
}

export async function workspaceDir(home: string): Promise<string> {
  const [id] = await readdir(join(home, "workspaces"));
  if (id === undefined) throw new Error("there is no workspace");
  return join(home, "workspaces", id);
}
