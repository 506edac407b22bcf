import type { Problem } from "./restricted-yaml.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const PREFIX = "env:";

/** The host variable that a value refers to, if it is a reference. */
export const referenceOf = (value: string): string | undefined =>
  value.startsWith(PREFIX) ? value.slice(PREFIX.length) : undefined;

/** Variables of a task that may be references, and where in the file they are. */
export interface NamedVariables {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

/** References to variables that the host does not have. */
export function missingReferences(
  { path, values }: NamedVariables,
  env: Env,
): Omit<Problem, "at">[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const variable = referenceOf(value);
    if (variable === undefined || env[variable] !== undefined) return [];
    const message = `the environment variable ${variable || "(empty name)"} is not set on this host`;
    return [{ path: `${path}.${name}`, message }];
  });
}

/** Literal values and what the references stand for: made only where a process is about to be started. */
export function resolveReferences(
  values: Readonly<Record<string, string>>,
  env: Env,
): Record<string, string> {
  const resolved: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const variable = referenceOf(value);
    const found = variable === undefined ? value : env[variable];
    if (found !== undefined) resolved[name] = found;
  }
  return resolved;
}
