import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifests, root } from "./paths.mjs";

/** @typedef {{ name: string, version: string, license?: string, dependencies?: Record<string, string> }} Manifest */

/** Writes dist/licences.txt: what the bundles contain of others, and under which terms. */
export function writeLicences() {
  const texts = [...shipped()].sort().map(licenceText);
  writeFileSync(join(root, "dist/licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** Every package that a package of ours depends on at run time, directly or not. */
function shipped() {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = manifests().flatMap(dependenciesOf);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || name.startsWith("@multiverse/")) continue;
    const manifest = `node_modules/${name}/package.json`;
    if (!existsSync(join(root, manifest))) continue; // an optional one that is not installed ships nothing
    found.add(name);
    waiting.push(...dependenciesOf(manifest));
  }
  return found;
}

/** @param {string} file */
const dependenciesOf = (file) => Object.keys(readManifest(file).dependencies ?? {});

/**
 * @param {string} file
 * @returns {Manifest}
 */
const readManifest = (file) =>
  /** @type {Manifest} */ (JSON.parse(readFileSync(join(root, file), "utf8")));

/** @param {string} name */
function licenceText(name) {
  const folder = `node_modules/${name}`;
  const { version, license = "see its repository" } = readManifest(`${folder}/package.json`);
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(root, folder, file), "utf8").trimEnd();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
