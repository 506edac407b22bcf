import { secretsOf } from "@multiverse/agents/secrets";
import { referenceOf } from "./task-file/env-references.ts";
import type { Env } from "./task-file/env-references.ts";
import type { ResolvedTask } from "./task-file/resolve-task.ts";

/** Every value that must never be shown: keys of the host, what `env:` stands for, and literals that are named like keys. */
export function secretsOfTask({ worker, tooling }: ResolvedTask, env: Env): string[] {
  const maps = [
    worker.env,
    ...(tooling?.profiles ?? []).flatMap((profile) => candidateEnvs(profile)),
  ];
  const referred = maps.flatMap((values) =>
    Object.values(values).flatMap((value) => {
      const name = referenceOf(value);
      const found = name === undefined ? undefined : env[name];
      return found === undefined ? [] : [found];
    }),
  );
  const literals = maps.flatMap((values) =>
    secretsOf(values).filter((value) => referenceOf(value) === undefined),
  );
  return [...secretsOf(env), ...referred, ...literals];
}

type Profile = NonNullable<ResolvedTask["tooling"]>["profiles"][number];
const candidateEnvs = ({ categories }: Profile): Record<string, string>[] =>
  Object.values(categories).flatMap((category) => category?.candidates.map(({ env }) => env) ?? []);
