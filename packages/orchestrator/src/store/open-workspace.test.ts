import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { canonicalJson, saveState } from "@multiverse/protocol/saved-state";
import { openWorkspace } from "./open-workspace.ts";
import type { Workspace } from "./workspace.ts";
import { chat, testPorts } from "./testing/test-ports.ts";

let home: string;
let project: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "store-home-"));
  project = await mkdtemp(join(tmpdir(), "store-project-"));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
  await rm(project, { recursive: true, force: true });
});

const open = (): Promise<Workspace> =>
  openWorkspace({ home, projectRoot: project, ...testPorts() });
const text = (workspace: Workspace): string => canonicalJson(saveState(workspace.state));

it("a new workspace has a root and nothing else", async () => {
  const workspace = await open();
  expect([...workspace.state.nodes.keys()]).toEqual(["node-root"]);
  expect(workspace.state.seq).toBe(1);
  await workspace.close();
});

it("what was acknowledged is there after opening again", async () => {
  const first = await open();
  await Promise.all(Array.from({ length: 50 }, (_, i) => first.commit(() => [chat(`m-${i}`)])));
  await first.close();
  const second = await open();
  expect(text(second)).toBe(text(first));
  expect(second.state.sessions.get("chat-1")?.messageCount).toBe(50);
  await second.close();
});
