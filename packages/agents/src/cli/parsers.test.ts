import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CliOutcome, WorkerStreamEvent } from "./agent-cli.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";

const CLI = { codex, claude, gemini, cursor };
type Name = keyof typeof CLI;

const now = new Date("2026-01-01T00:00:00.000Z");
const sample = (name: string): Buffer =>
  readFileSync(new URL(`./samples/${name}`, import.meta.url));
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function parse(
  cli: Name,
  stdout: string,
  exitCode: number | null = 0,
  stderr = "",
): { outcome: CliOutcome; events: WorkerStreamEvent[] } {
  const parser = CLI[cli].parser(() => now);
  const events = [
    ...stderr.split("\n").map((line) => ({ stream: "stderr" as const, line })),
    ...stdout.split("\n").map((line) => ({ stream: "stdout" as const, line })),
  ].flatMap((line) => parser.feed(line));
  return { outcome: parser.end(exitCode), events };
}
const parseSample = (cli: Name, name: string, exitCode = 0) =>
  parse(cli, textOf(sample(`${name}.stdout.jsonl`)), exitCode);

const done = "Done: the tool returned a result (turn 1).";

describe("recorded runs that succeeded", () => {
  test.each<[Name, string, CliOutcome]>([
    [
      "codex",
      "cx-file-gpt-5.5",
      outcome({
        files: ["/workspace/project/hello.txt"],
        usage: { inputTokens: 2_468, outputTokens: 112, usd: null },
        sessionId: "01a1de01-0866-7540-b0be-c11153f1ca75",
      }),
    ],
    [
      "codex",
      "cx-shell-gpt-6-sol",
      outcome({
        usage: { inputTokens: 2_468, outputTokens: 112, usd: null },
        sessionId: "01a1de01-83cc-7242-816c-324f0cb3e8d2",
      }),
    ],
    [
      "claude",
      "cl-sb",
      outcome({
        files: ["/workspace/project/hello.txt"],
        usage: { inputTokens: 2_468, outputTokens: 112, usd: 0.0036839999999999998 },
        sessionId: "a5263e5a-26a7-453d-9881-509f90a4dacf",
      }),
    ],
    [
      "gemini",
      "gm-file",
      outcome({
        files: ["hello.txt"],
        usage: { inputTokens: 2_468, outputTokens: 80, usd: null },
        sessionId: "f8b6702d-5d17-4093-9ae9-9883e552806f",
      }),
    ],
  ])("%s %s", (cli, name, expected) => {
    expect(parseSample(cli, name).outcome).toEqual(expected);
  });

  function outcome(over: Partial<CliOutcome>): CliOutcome {
    return {
      succeeded: true,
      summary: done,
      files: [],
      usage: { inputTokens: 0, outputTokens: 0, usd: null },
      sessionId: null,
      failure: null,
      structured: null,
      ...over,
    };
  }
});

test("a failing command of the model is an event with its exit code, not a failed run", () => {
  const { outcome, events } = parseSample("codex", "cx-fail");
  expect(outcome.succeeded).toBe(true);
  expect(events.filter((event) => event.kind === "command").map((event) => event.exitCode)).toEqual(
    [null, 3],
  );
  const ofClaude = parseSample("claude", "cl-fail");
  expect(ofClaude.outcome.succeeded).toBe(true);
  expect(ofClaude.events.filter((e) => e.kind === "command").map((e) => e.exitCode)).toEqual([
    null,
    3,
  ]);
});

test("events come in the order of the stream, in our words", () => {
  expect(parseSample("codex", "cx-file-gpt-5.5").events.map((event) => event.kind)).toEqual([
    "reasoning",
    "file_change",
    "reasoning",
    "message",
  ]);
  expect(parseSample("claude", "cl-bash").events.map((event) => event.kind)).toEqual([
    "message",
    "command",
    "command",
    "message",
  ]);
  const ofGemini = parseSample("gemini", "gm-file").events;
  expect(ofGemini).toEqual([
    { kind: "file_change", text: "write_file hello.txt", path: "hello.txt" },
    { kind: "message", text: done },
  ]);
});

describe("recorded failures", () => {
  test.each<[Name, string, number, string]>([
    ["codex", "cx-err-429", 1, "rate_limited"],
    ["codex", "cx-err-429q", 1, "rate_limited"],
    ["codex", "cx065-429", 1, "rate_limited"],
    ["codex", "cx-err-401", 1, "login"],
    ["codex", "cx-err-400", 1, "other"],
    ["codex", "cx-err-500", 1, "other"],
    ["claude", "cl-err-429", 1, "rate_limited"],
    ["claude", "cl-err-credit", 1, "rate_limited"],
    ["claude", "cl-err-401", 1, "login"],
    ["claude", "cl-err-500", 1, "other"],
    ["claude", "cl-mt", 1, "other"],
    ["claude", "cl-mb", 1, "other"],
    ["claude", "cl-bj", 1, "other"],
    ["gemini", "gm-err-429", 173, "rate_limited"],
    ["gemini", "gm-err-401", 145, "login"],
    ["gemini", "gm-err-500", 244, "other"],
    ["gemini", "gm-err-cut", 1, "other"],
    ["gemini", "gm-loop", 53, "other"],
    ["gemini", "gm-noyolo", 0, "denied"],
  ])("%s %s ends %i: %s", (cli, name, exitCode, kind) => {
    const { outcome } = parseSample(cli, name, exitCode);
    expect(outcome.succeeded).toBe(false);
    expect(outcome.failure?.kind).toBe(kind);
    expect(outcome.summary).not.toBe("");
  });

  test("codex that waits for a network again and again is not waited for; one that got through is", () => {
    const parser = codex.parser(() => now);
    const say = (event: object): void =>
      void parser.feed({ stream: "stdout", line: JSON.stringify(event) });
    const wait = { type: "error", message: "Reconnecting... waiting for network (no route)" };
    for (const event of [
      wait,
      wait,
      { type: "turn.started" },
      { type: "thread.started", thread_id: "t" },
      wait,
      wait,
    ])
      say(event);
    expect(parser.waitingFor?.()).toBeNull();
    say(wait);
    expect(parser.waitingFor?.()).toMatchObject({
      kind: "other",
      message: expect.stringContaining("no route") as string,
    });
  });

  test("a limit that gemini means to sit out is told at once; an error of the server is not one", () => {
    const parser = gemini.parser(() => now);
    const say = (line: string): void => void parser.feed({ stream: "stderr", line });
    say("Attempt 1 failed with status 500. Retrying with backoff... _ApiError");
    expect(parser.waitingFor?.()).toBeNull();
    say("Attempt 2 failed: You exceeded your current quota. Please retry in 1.5s.");
    expect(parser.waitingFor?.()).toMatchObject({
      kind: "rate_limited",
      retryAt: "2026-01-01T00:00:01.500Z",
    });
  });

  test("gemini's own retry hint becomes a time", () => {
    expect(parseSample("gemini", "gm-err-429", 173).outcome.failure?.retryAt).toBe(
      "2026-01-01T00:00:01.500Z",
    );
  });

  test("what only stderr says is understood", () => {
    const untrusted = textOf(sample("gm-spec.stderr.txt"));
    expect(parse("gemini", "", 55, untrusted).outcome.failure).toMatchObject({ kind: "aborted" });
    expect(parse("claude", "", 1, "Not logged in · Please run /login").outcome.failure?.kind).toBe(
      "login",
    );
    expect(parse("gemini", "", 41, "Please set an Auth method").outcome.failure?.kind).toBe(
      "login",
    );
  });

  test("words of the model are never taken for a rate limit or a login", () => {
    const said = JSON.stringify({
      type: "item.completed",
      item: {
        type: "agent_message",
        text: "429 too many requests; 401 Unauthorized; not logged in",
      },
    });
    const finished = JSON.stringify({
      type: "turn.completed",
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    expect(parse("codex", `${said}\n${finished}`).outcome.succeeded).toBe(true);
    expect(parse("codex", said, 1).outcome.failure?.kind).toBe("aborted");
  });

  test("a denied tool is a failure although the CLI calls it a success", () => {
    const denied = textOf(sample("cl-sb.stdout.jsonl")).replace(
      '"permission_denials":[]',
      '"permission_denials":[{"tool_name":"Write","tool_use_id":"t"}]',
    );
    expect(parse("claude", denied).outcome).toMatchObject({
      succeeded: false,
      failure: { kind: "denied", message: expect.stringContaining("Write") },
    });
  });

  test("a good stream with a bad exit code did not succeed", () => {
    expect(parseSample("codex", "cx-file-gpt-5.5", 137).outcome.succeeded).toBe(false);
    expect(parseSample("gemini", "gm-file", 1).outcome.succeeded).toBe(false);
  });

  test("an answer forced into a schema comes back as data", () => {
    const { outcome } = parseSample("claude", "cl-js2");
    expect(outcome.structured).toEqual({
      title: "Plan",
      tasks: [{ id: 1, name: "write hello.txt" }],
    });
  });
});

const streams: [Name, string][] = [
  ["codex", "cx-file-gpt-5.5"],
  ["claude", "cl-sb"],
  ["gemini", "gm-file"],
  ["cursor", "cu-documented"],
];

describe("streams that are not whole", () => {
  test.each(streams)("%s %s cut at every byte: never thrown, never a success", (cli, name) => {
    const bytes = sample(`${name}.stdout.jsonl`);
    const whole = parse(cli, textOf(bytes)).outcome;
    for (let end = 0; end < bytes.length; end += 1) {
      const { outcome } = parse(cli, textOf(bytes.subarray(0, end)), 0);
      const complete = end >= Buffer.byteLength(textOf(bytes).trimEnd());
      const expected = complete ? whole : { succeeded: false, failure: { kind: "aborted" } };
      expect(outcome).toMatchObject(expected);
    }
  });

  test.each(streams)(
    "%s %s with unknown events and garbage between reads the same",
    (cli, name) => {
      const lines = textOf(sample(`${name}.stdout.jsonl`))
        .trimEnd()
        .split("\n");
      const noise = [
        '{"type":"never.heard.of","x":{"y":[1]}}',
        '{"type":"item.completed","item":{"type":"todo_list","items":[]}}',
        '{"type":"system"}',
        "plain words",
        "{",
        "[]",
        "null",
        '"x"',
        '{"type":7}',
        '{"__proto__":{"type":"result"}}',
        "\u0000\u001b[31m",
        '{"type":"result","is_error":"no"}',
      ];
      const noisy = lines
        .flatMap((line, i) => [noise[i % noise.length] ?? "", line, ...noise])
        .join("\n");
      expect(parse(cli, noisy).outcome).toEqual(parse(cli, lines.join("\n")).outcome);
    },
  );

  test.each(streams)("%s %s with bytes that are no UTF-8 is read without throwing", (cli, name) => {
    const bytes = sample(`${name}.stdout.jsonl`);
    fc.assert(
      fc.property(
        fc.nat(bytes.length - 1),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        (at, junk) => {
          const broken = Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
          const { outcome } = parse(cli, textOf(broken), 0);
          expect(typeof outcome.succeeded).toBe("boolean");
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each(streams)("%s %s without its last line was aborted", (cli, name) => {
    const lines = textOf(sample(`${name}.stdout.jsonl`))
      .trimEnd()
      .split("\n")
      .slice(0, -1);
    expect(parse(cli, lines.join("\n"), 0).outcome.failure?.kind).toBe("aborted");
    expect(parse(cli, lines.join("\n"), null).outcome.failure?.kind).toBe("aborted");
  });
});

describe("cursor, whose streams are those of its documentation", () => {
  test("a run is read", () => {
    const { outcome, events } = parseSample("cursor", "cu-documented");
    expect(outcome).toMatchObject({
      succeeded: true,
      summary: "Wrote a.txt.",
      files: ["a.txt"],
      sessionId: "c6b62c6f-7ead-4fd6-9922-e952131177ff",
    });
    expect(events).toEqual([
      { kind: "message", text: "I look first." },
      { kind: "command", text: "ls", exitCode: null },
      { kind: "command", text: "ls", exitCode: 0 },
      { kind: "file_change", text: "writeToolCall a.txt", path: "a.txt" },
      { kind: "message", text: "Wrote a.txt." },
    ]);
  });

  test("what was not allowed, and what it calls an error, is no success", () => {
    const stream = textOf(sample("cu-documented.stdout.jsonl"));
    const refused = stream.replace(
      /"result":\{"success":\{"path".*?\}\}/,
      '"result":{"rejected":{}}',
    );
    expect(parse("cursor", refused).outcome).toMatchObject({
      files: [],
      failure: { kind: "denied", message: expect.stringContaining("writeToolCall") as string },
    });
    const failed = stream
      .replace('"is_error":false', '"is_error":true')
      .replace("I look first.Wrote a.txt.", "Usage limit reached, try again in 5 minutes");
    expect(parse("cursor", failed, 1).outcome.failure).toEqual({
      kind: "rate_limited",
      message: "Usage limit reached, try again in 5 minutes",
      retryAt: "2026-01-01T00:05:00.000Z",
    });
  });

  test("on a failure there is a sentence on stderr and an exit code, and they are understood", () => {
    expect(parse("cursor", "", 1, "Not logged in").outcome.failure?.kind).toBe("login");
    expect(parse("cursor", "", 1, "Error: 429 Too Many Requests").outcome.failure?.kind).toBe(
      "rate_limited",
    );
    expect(parse("cursor", "", 1, "Cannot use this model: x").outcome).toMatchObject({
      succeeded: false,
      failure: { message: expect.stringContaining("Cannot use this model: x") as string },
    });
  });
});
