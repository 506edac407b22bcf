import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fact } from "@multiverse/protocol/fact";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { openWorkspace } from "../open-workspace.ts";
import { workspaceIdOf } from "../workspace-id.ts";
import type { OpenOptions, Workspace } from "../workspace.ts";
import { testPorts } from "./test-ports.ts";

/** A home and a project in a temporary folder, with the real store on the real disk. */
export interface TempWorkspace {
  readonly home: string;
  readonly project: string;
  readonly dir: string;
  readonly options: OpenOptions;
  open(more?: Partial<OpenOptions>): Promise<Workspace>;
  historyFile(): Promise<string>;
  remove(): Promise<void>;
}

export async function tempWorkspace(): Promise<TempWorkspace> {
  const base = await mkdtemp(join(tmpdir(), "store-"));
  const home = join(base, "home");
  const project = await mkdtemp(join(base, "project-"));
  const dir = join(home, "workspaces", workspaceIdOf(project));
  const options: OpenOptions = { home, projectRoot: project, ...testPorts() };
  return {
    home,
    project,
    dir,
    options,
    open: (more) => openWorkspace({ ...options, ...more }),
    historyFile: async () => {
      const names = (await readdir(join(dir, "history"))).filter((name) =>
        name.startsWith("actions-"),
      );
      return join(dir, "history", names.at(-1) ?? "");
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

export const textOf = (workspace: Workspace): string => canonicalJson(saveState(workspace.state));

/** Every file under a folder with its content, for "nothing was changed". */
export async function allFiles(dir: string): Promise<Map<string, string>> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const entries = await Promise.all(
    files.sort().map(async (path) => [path, (await readFile(path)).toString("latin1")] as const),
  );
  return new Map(entries);
}

export const kinds = (facts: readonly Fact[]): string[] => facts.map((fact) => fact.kind);
