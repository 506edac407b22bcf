import { jsonSchema, PUBLISHED } from "@multiverse/protocol/json-schemas";

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** What each field is for. The schema says the rest: type, default, limits. */
const WORDS: Readonly<Record<string, string>> = {
  version: '`1` or `"1"`.',
  "task.id":
    "Becomes a file name: letters, digits, `.`, `_`, `-`, at most 128 characters, no `..`. Without one, a UUID.",
  "task.title": "A few words; shown everywhere.",
  "task.repo": "The project's folder, relative to where agent-runner is started. It must exist.",
  "task.description": "More about the task, for the meta-agent.",
  "task.dependencies":
    "Ids of tasks this one builds on; information for the meta-agent, nothing waits.",
  "task.wbs_level": "0 undefined, 1 concept, 2 design, 3 implementation.",
  "task.phase_name": "The phase of the plan it belongs to.",
  "task.milestone": "The milestone it belongs to.",
  "task.suggested_impl": "How it might be built; a hint, not an order.",
  "task.suggested_impl.language": "Programming language.",
  "task.suggested_impl.file_paths": "Files it will probably touch.",
  "task.suggested_impl.constraints": "What to keep to.",
  "task.prd": "What is wanted. Exactly one of `path` and `text`.",
  "task.prd.path": "A file inside the project; it may not lead out of it.",
  "task.prd.text": "The text itself.",
  "task.test": "How the result is checked, besides the criteria.",
  "task.test.command": "Runs in the sandbox, in a shell; the task is done only if it exits with 0.",
  "task.test.cwd": "The folder it runs in, inside the project.",
  "runner.max_loops":
    "How many times a failed validation leads back to work. `N` allows `N + 1` validations.",
  "runner.meta":
    "The meta-agent: it writes the criteria, decides the next step, judges the result.",
  "runner.meta.kind":
    "`openai-chat` (default), `codex-cli`, `claude-code`, `gemini-cli`, `cursor-cli`, or `mock`, the demo agent.",
  "runner.meta.model": "A model of that kind. `--meta-model` wins over it.",
  "runner.meta.system_prompt": "Added to the built-in instructions.",
  "runner.meta.temperature": "Passed on where the model takes one.",
  "runner.worker": "The coding CLI that does the work, and the sandbox it does it in.",
  "runner.worker.kind":
    "`codex-cli` (default), `claude-code`, `gemini-cli`, `cursor-cli`, or `mock`.",
  "runner.worker.model": "A model of that CLI; without one, the CLI's own default.",
  "runner.worker.docker_image": "Another image than the one of the kind.",
  "runner.worker.max_run_time_sec": "A worker run is ended after this time; 0 for no limit.",
  "runner.worker.idle_timeout_sec":
    "A worker run that prints nothing for this long is ended; 0 for no limit.",
  "runner.worker.env":
    "Variables for the worker. `env:NAME` takes the value of `NAME` here when the container starts; it must be set.",
  "runner.worker.auth_path": "A login file or folder to use instead of the CLI's default one.",
  "runner.worker.gateway":
    "Keep the API key out of the container: a side-car adds it to the CLI's calls.",
  "runner.worker.cli_path":
    "The CLI's path inside the image, or on this machine without a container.",
  "runner.worker.flags":
    "More flags for the CLI. Flags that would loosen its limits outside a container are refused.",
  "runner.worker.network":
    "`default`: everything. `none`: nothing. `allowlist`: the CLI's own hosts and `allow_hosts`, through a proxy.",
  "runner.worker.allow_hosts": "Exact host names, for `allowlist`.",
  "runner.worker.memory": "Limit of the container, such as `512m` or `4g`.",
  "runner.worker.memory_on_oom":
    "A larger limit for one more try when `memory` was not enough. Without it the run ends with reason `oom`.",
  "runner.worker.cpus": "Limit of the container, in cores.",
  "runner.worker.sandbox":
    "`docker`, or `local` for no container at all, which needs `MULTIVERSE_ALLOW_LOCAL=1`. The demo agent is always local.",
  "runner.budget": "The run ends as FAILED when one of these is reached.",
  "runner.budget.max_tokens": "Tokens of meta-agent and worker together.",
  "runner.budget.max_usd": "US dollars, as far as the tools report a price.",
  "runner.budget.max_minutes": "Minutes of wall time.",
  "runner.note": "The Task Note.",
  "runner.note.language": "Language of its headings.",
  "runner.tooling":
    "Which tool and model does what, with fallbacks: the schema of [`tooling.json`](configuration.md#toolingjson) with snake_case keys.",
};

/** docs/task-yaml.md, from the schema that reads the file. */
export function taskYamlReference(example: string): string {
  const { task, runner, version } = root();
  const fields = [
    ...rows("version", version!, true),
    ...rowsBelow("task", task!),
    ...rowsBelow("runner", runner!),
  ];
  const unused = Object.keys(WORDS).filter(
    (name) => !fields.some((row) => row.startsWith(`| \`${name}\``)),
  );
  if (unused.length > 0) throw new Error(`no such field in the schema: ${unused.join(", ")}`);
  return `# Task YAML

<!-- Generated from packages/protocol/src/task-file.ts by tests/docs/task-yaml.ts; update with: npx vitest run tests/docs -u -->

What \`agent-runner\` reads on stdin, or from the file named by \`--task\`: one YAML document of at most 1 MiB, without
anchors, aliases and tags. Wrong types and missing fields are errors, all told at once with line and column; an unknown key is
a warning that names the nearest known one. \`agent-runner --dry-run\` shows the task with everything filled in and runs nothing.

\`\`\`yaml
${example.trimEnd()}
\`\`\`

More examples are in [examples/](../examples). The same as a JSON Schema: [task-file.json](schemas/task-file.json).

| field | type | default | meaning |
| --- | --- | --- | --- |
${fields.join("\n")}

An older form is read as well: \`task.instructions\` for \`prd.text\`, \`task.project.root_dir\` for \`repo\`, and
\`runner.worker.type: docker_codex_cli\` for \`kind\`; there \`version\` may be missing.
`;
}

const root = (): Readonly<Record<string, Schema>> =>
  (jsonSchema(PUBLISHED["task-file"]!) as Schema).properties ?? {};

function rowsBelow(name: string, schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    rows(`${name}.${key}`, inner, schema.required?.includes(key) ?? false),
  );
}

function rows(name: string, schema: Schema, isRequired: boolean): string[] {
  const words = WORDS[name];
  if (words === undefined) throw new Error(`tests/docs/task-yaml.ts has no words for ${name}`);
  const inner = schema.properties === undefined ? [] : rowsBelow(name, schema);
  const fallback = isRequired ? "required" : defaultOf(schema);
  return [`| \`${name}\` | ${typeOf(schema)} | ${fallback} | ${words} |`, ...inner];
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.items) return `list of ${typeOf(schema.items)}${limit(schema.maxItems, "at most")}`;
  if (schema.type === "string") return `text${limit(schema.maxLength, "≤")}`;
  if (schema.type === "integer" || schema.type === "number")
    return `${schema.type}${range(schema)}`;
  return schema.type ?? "";
}

const limit = (most: number | undefined, word: string): string =>
  most === undefined ? "" : ` (${word} ${most.toLocaleString("en")})`;

function range({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const from = minimum ?? exclusiveMinimum;
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  if (from === undefined || isOpen) return "";
  return ` (${from}–${maximum.toLocaleString("en")})`;
}

function defaultOf(schema: Schema): string {
  const value = schema.default;
  if (value === undefined || schema.properties !== undefined) return "";
  return `\`${JSON.stringify(value)}\``;
}
