import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { MultiverseError } from "@multiverse/protocol/error";
import type { NewFact } from "@multiverse/protocol/fact";
import { openWorkspace } from "@multiverse/orchestrator/store/open-workspace";

/**
 * A program that does nothing but use the store, for tests that kill it. `writer <write|open|hold> <home> <project>`.
 * Every acknowledged fact is told on standard output at once, before anything else happens.
 */
const [mode = "", home = "", projectRoot = ""] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

const message = (id: string): NewFact => ({
  kind: "chat.message",
  payload: {
    message: {
      id,
      sessionId: "s",
      role: "user",
      content: "日本語 🙂",
      generatedTasks: [],
      questions: [],
      timestamp: "2026-01-01T00:00:00.000Z",
    },
  },
});

try {
  const workspace = await openWorkspace({
    home,
    projectRoot,
    clock: {
      now: () => new Date(),
      monotonic: () => performance.now(),
      sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
    },
    newId: (prefix) => `${prefix}-${randomUUID()}`,
    url: "http://127.0.0.1:4321",
    onFatal: () => process.exit(4),
  });
  say(`open ${workspace.state.seq}`);
  const commit = async (ids: string[]): Promise<void> => {
    const { facts } = await workspace.commit(() => ids.map(message));
    for (const fact of facts) say(`ack ${fact.seq} ${fact.id}`);
  };
  if (mode === "write") {
    await commit(["a"]);
    await Promise.all([commit(["b", "c", "d"]), commit(["e"])]);
    await workspace.createSnapshot();
    await commit(["f"]);
  }
  if (mode === "hold") await new Promise(() => setInterval(() => {}, 1_000));
  await workspace.checked();
  await workspace.close();
  say("closed");
} catch (error) {
  if (!(error instanceof MultiverseError)) throw error;
  say(`refused ${error.code} ${error.message}`);
  process.exitCode = error.code === "WORKSPACE_LOCKED" ? 3 : 1;
}
