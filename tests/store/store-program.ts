import { mkdtemp, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { apply } from "@multiverse/protocol/apply/apply";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { emptyState } from "@multiverse/protocol/state";
import { openWorkspace } from "@multiverse/orchestrator/store/open-workspace";
import { workspaceIdOf } from "@multiverse/orchestrator/store/workspace-id";
import { testPorts } from "@multiverse/orchestrator/store/testing/test-ports";
import type { Workspace } from "@multiverse/orchestrator/store/workspace";

/** Bundles the writer program; returns its path and a way to remove it. */
export async function bundleWriter(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "writer-"));
  const path = join(folder, "writer.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "writer.ts")],
    outfile: path,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "silent",
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

export interface Place {
  readonly home: string;
  readonly project: string;
  readonly dir: string;
  /** Today's history file, whether it exists yet or not. */
  readonly history: string;
}

export async function newPlace(base: string): Promise<Place> {
  const folder = await mkdtemp(join(base, "place-"));
  const project = join(folder, "project");
  await mkdir(project);
  const home = join(folder, "home");
  const dir = join(home, "workspaces", workspaceIdOf(project));
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  return { home, project, dir, history: join(dir, "history", `actions-${day}.jsonl`) };
}

export const openPlace = ({ home, project }: Place): Promise<Workspace> =>
  openWorkspace({ home, projectRoot: project, ...testPorts() });

/** Opens what a killed program left, and lists everything that breaks a promise. */
export async function problemsAfter(place: Place, output: string): Promise<string[]> {
  const workspace = await openPlace(place);
  const problems: string[] = [];
  if (workspace.damage) problems.push(`damage: ${JSON.stringify(workspace.damage)}`);
  const facts = await workspace.readFacts({ after: 0, limit: 10_000 });
  for (const [, seq, id] of output.matchAll(/^ack (\d+) (\S+)$/gm)) {
    if (facts[Number(seq) - 1]?.id !== id) problems.push(`acknowledged but lost: ${seq} ${id}`);
  }
  for (const [at, fact] of facts.entries()) {
    if (fact.seq !== at + 1) problems.push(`seq ${fact.seq} stands at ${at + 1}`);
    if (fact.i < fact.n - 1 && facts[at + 1]?.tx !== fact.tx)
      problems.push(`half a transaction at ${fact.seq}`);
  }
  const state = canonicalJson(saveState(workspace.state));
  if (canonicalJson(saveState(apply(emptyState, facts))) !== state)
    problems.push("the state is not what history says");
  await workspace.close();
  const again = await openPlace(place);
  if (canonicalJson(saveState(again.state)) !== canonicalJson(saveState(workspace.state)))
    problems.push("opening again differs");
  await again.close();
  const left = (await readdir(place.dir, { recursive: true })).filter((name) =>
    name.endsWith(".tmp"),
  );
  if (left.length > 0) problems.push(`left behind: ${left.join(", ")}`);
  return problems;
}
