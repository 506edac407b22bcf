/** Where a value of the mapped file came from, so that a problem is shown at the words the person wrote. */
export interface Mapped {
  readonly value: unknown;
  origin(path: readonly PropertyKey[]): readonly PropertyKey[];
}

type Plain = Record<string, unknown>;
const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Moves of `[from, to]`; a place that is already taken is left as it is. */
const BUILDER_MOVES = [
  ["task.instructions", "task.prd.text"],
  ["task.project.root_dir", "task.repo"],
  ["runner.worker.type", "runner.worker.kind"],
  ["runner.worker.image", "runner.worker.docker_image"],
] as const;
const LEGACY_MOVES = [["runner.meta.max_loops", "runner.max_loops"]] as const;

/** Reads the Task Builder's form and the older place of max_loops as what they mean today. Pure; the input is kept. */
export function mapOlderForms(input: unknown): Mapped {
  const value = structuredClone(input);
  if (!isPlain(value)) return { value, origin: (path) => path };
  const task = isPlain(value.task) ? value.task : {};
  const isBuilderForm = "instructions" in task || "project" in task;
  const moved = new Map<string, string>();
  for (const [from, to] of isBuilderForm ? [...BUILDER_MOVES, ...LEGACY_MOVES] : LEGACY_MOVES) {
    if (move(value, from.split("."), to.split("."))) moved.set(to, from);
  }
  if (isBuilderForm) {
    if (value.version === undefined) value.version = 1;
    if (isPlain(task.project) && Object.keys(task.project).length === 0) delete task.project;
  }
  return {
    value,
    origin: (path) => moved.get(path.map(String).join("."))?.split(".") ?? path,
  };
}

function move(root: Plain, from: string[], to: string[]): boolean {
  const source = parentOf(root, from, false);
  const name = from.at(-1) ?? "";
  if (source?.[name] === undefined) return false;
  const target = parentOf(root, to, true);
  const newName = to.at(-1) ?? "";
  if (!target || target[newName] !== undefined) return false;
  target[newName] = source[name];
  delete source[name];
  return true;
}

function parentOf(root: Plain, path: string[], create: boolean): Plain | undefined {
  let at = root;
  for (const name of path.slice(0, -1)) {
    if (at[name] === undefined && create) at[name] = {};
    const next = at[name];
    if (!isPlain(next)) return undefined;
    at = next;
  }
  return at;
}
