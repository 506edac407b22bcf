import { posix } from "node:path";
import { findCycles } from "./cycles.mjs";
import { arrows, owners, testSupport } from "./rules.mjs";
import { sourceFacts } from "./source-facts.mjs";

/** @typedef {import("./source-facts.mjs").SourceFacts} SourceFacts */

/**
 * Everything in the sources that breaks the architecture, one sentence each.
 * @param {Map<string, string>} sources path from the root (packages/x/src/…) → text
 * @returns {string[]}
 */
export function violations(sources) {
  const shipped = [...sources].filter(([path]) => !testSupport.test(path));
  const facts = new Map(shipped.map(([path, text]) => [path, sourceFacts(path, text)]));
  return [
    ...[...facts].flatMap(([path, file]) => [
      ...wrongArrows(path, file),
      ...importsOfTestSupport(path, file),
      ...strayEffects(path, file),
    ]),
    ...findCycles(valueImports(facts)).map((cycle) => `import cycle: ${cycle.join(" → ")}`),
  ];
}

/**
 * @param {string} path
 * @param {SourceFacts} file
 */
function wrongArrows(path, file) {
  const from = packageOf(path);
  const allowed = arrows[from];
  if (allowed === undefined) return [`${path}: packages/${from} is not in the table of arrows`];
  return file.imports
    .map((found) => ({ ...found, to: packageOf(resolve(path, found.from)) }))
    .filter(({ to }) => to !== "" && to !== from && !allowed.includes(to))
    .map(({ to, from: name }) => `${path}: ${from} must not import ${to} ("${name}")`);
}

/**
 * @param {string} path
 * @param {SourceFacts} file
 */
function importsOfTestSupport(path, file) {
  return file.imports
    .filter(({ from }) => testSupport.test(resolve(path, from)))
    .map(({ from }) => `${path}: "${from}" is for tests only`);
}

/**
 * @param {string} path
 * @param {SourceFacts} file
 */
function strayEffects(path, file) {
  const place = path.slice("packages/".length);
  return owners
    .filter((owner) => !owner.in.some((prefix) => place.startsWith(prefix)))
    .flatMap((owner) => [
      ...file.imports
        .filter(({ typeOnly }) => !typeOnly || owner.evenTypes === true)
        .filter(({ from }) => names(owner.modules, from))
        .map(
          ({ from }) => `${path}: "${from}" ${owner.effect}, which only ${owner.in.join(", ")} may`,
        ),
      ...(owner.globals ?? [])
        .filter((name) => file.globals.has(name))
        .map((name) => `${path}: ${name} ${owner.effect}, which only ${owner.in.join(", ")} may`),
    ]);
}

/**
 * @param {string[] | undefined} modules
 * @param {string} from
 */
function names(modules, from) {
  return (modules ?? []).some((module) => from === module || from.startsWith(`${module}/`));
}

/**
 * @param {Map<string, SourceFacts>} facts
 * @returns {Map<string, string[]>}
 */
function valueImports(facts) {
  return new Map(
    [...facts].map(([path, file]) => [
      path,
      file.imports
        .filter(({ typeOnly }) => !typeOnly)
        .map(({ from }) => resolve(path, from))
        .filter((target) => facts.has(target)),
    ]),
  );
}

/**
 * The file of ours that an import means, or the import itself when it is not ours.
 * @param {string} path
 * @param {string} from
 */
function resolve(path, from) {
  if (from.startsWith(".")) return posix.join(posix.dirname(path), from);
  return from.replace(/^@multiverse\/([^/]+)\/?(.*)$/, "packages/$1/src/$2.ts");
}

/**
 * The package a path belongs to; empty for what is not ours.
 * @param {string} path
 */
function packageOf(path) {
  return /^packages\/([^/]+)\//.exec(path)?.[1] ?? "";
}
