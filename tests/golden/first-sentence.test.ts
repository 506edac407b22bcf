import { existsSync, readFileSync, chownSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureCliImages } from "../docker/cli-images.ts";
import { hostAddress, WIRE, type CliKind } from "../docker/cli-task.ts";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { findHostClis } from "../harness/host-clis.ts";
import type { Reply, Turn } from "../harness/scripted-model/script.ts";
import { startScriptedModel, type ScriptedModel } from "../harness/scripted-model/server.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { finish, makePlace, type Place } from "../server/program.ts";

const docker = await findDockerWithBaseImage();
const clis = await findHostClis();
const KINDS: readonly CliKind[] = ["codex-cli", "claude-code", "gemini-cli"];
const KEY = "sk-first-sentence-0123456789";

/** Plans one task on the host, decides its steps, and does its work in the container: all of it over the CLI's own wire. */
function assistant(): (turn: Turn) => Reply {
  let hasWorked = false;
  return ({ prompt, results }) => {
    const asked = /"type": "(plan_patch|plan_task|next_action|completion_assessment)"/.exec(prompt);
    if (asked === null) {
      hasWorked = true;
      return results === 0
        ? { write: { path: "hello.txt", content: "hello\n" } }
        : { say: "Wrote hello.txt." };
    }
    const answers: Record<string, object> = {
      plan_patch: {
        understanding: "A greeting in a file.",
        operations: [
          {
            op: "create",
            temp_id: "hello",
            title: "Write the greeting",
            acceptance_criteria: ["hello.txt is there (check: `test -s hello.txt`)"],
            suggested_impl: { file_paths: ["hello.txt"] },
          },
        ],
      },
      plan_task: {
        acceptance_criteria: [
          {
            id: "AC-1",
            description: "hello.txt is there",
            check: { command: "test -s hello.txt" },
          },
        ],
      },
      next_action: hasWorked
        ? { decision: { action: "mark_complete", reason: "it is written" } }
        : {
            decision: { action: "run_worker", reason: "nothing is there yet" },
            worker_call: { mode: "exec", prompt: "Write hello.txt with a greeting." },
          },
      completion_assessment: {
        all_criteria_satisfied: true,
        summary: "The greeting is there.",
        by_criterion: [{ id: "AC-1", status: "passed", comment: "test -s hello.txt exited 0" }],
      },
    };
    const type = asked[1] ?? "";
    return { say: JSON.stringify({ type, version: 1, payload: answers[type] }) };
  };
}

describe.skipIf(
  skipWithout(docker, "a sentence with real CLIs: Docker") ||
    skipWithout(clis, "a sentence with real CLIs: the CLIs"),
)("with Docker and a key, nothing else set", () => {
  let model: ScriptedModel;
  let host: string;
  let place: Place;
  beforeAll(async () => {
    await ensureCliImages(present(docker), KINDS);
    host = await hostAddress(present(docker));
    model = await startScriptedModel(Object.fromEntries(KINDS.map((kind) => [kind, assistant()])));
  }, 900_000);
  afterAll(() => model.close());
  beforeEach(async () => {
    place = await makePlace();
    chownSync(place.project, 4_321, 4_321);
  });
  afterEach(() => (process.env.KEEP ? console.log(place.root) : place.remove()));

  test.each(KINDS)(
    "the first sentence is planned by %s on this machine and done by it in a container",
    { timeout: 240_000 },
    async (kind) => {
      const { protocol, addressEnv, keyEnv } = WIRE[kind];
      const env = {
        ...place.env,
        PATH: `${present(clis).bin}:${place.env["PATH"] ?? ""}`,
        [keyEnv]: KEY,
        [addressEnv]: model.baseUrl(host, protocol, kind),
      };
      const { code, output } = await finish({ ...place, env }, [
        "run",
        "Put a greeting into a file",
        "--project",
        place.project,
        "--until-idle",
      ]);
      expect(output).toContain(`planning: ${kind} · working in Docker: ${kind} (${keyEnv})`);
      expect(code, output).toBe(0);
      expect(readFileSync(join(place.project, "hello.txt"), "utf8")).toBe("hello\n");
      expect(existsSync(join(place.project, ".agent-runner"))).toBe(true);
      const mine = model.requests.filter(({ scenario }) => scenario === kind);
      const isPlanned = ({ turn }: (typeof mine)[number]): boolean =>
        turn.prompt.includes('"type": "plan_patch"');
      expect(mine.some(isPlanned)).toBe(true);
      expect(mine.some(({ reply }) => "write" in reply)).toBe(true);
      expect(output).not.toContain(KEY);
    },
  );
});
