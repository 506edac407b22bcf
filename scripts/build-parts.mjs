import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "./fingerprint.mjs";
import { root } from "./paths.mjs";
import { run } from "./run.mjs";

const stampFile = join(root, "dist/.stamp");
const always = ["package-lock.json", "tsconfig.base.json", "scripts"];

/**
 * What a build consists of, and which files each part is made from. Tools are imported only when something is to be
 * made: a start that finds everything built must not pay for them.
 * @type {Record<string, { inputs: string[], make: () => Promise<void> }>}
 */
const parts = {
  programs: {
    inputs: [
      ...always,
      "packages/protocol",
      "packages/agents",
      "packages/runner",
      "packages/orchestrator",
      "packages/server",
    ],
    make: async () => (await import("./bundle.mjs")).bundlePrograms(),
  },
  web: {
    inputs: [...always, "packages/protocol", "packages/web"],
    make: async () => (await import("./web.mjs")).buildWeb(),
  },
};

/**
 * Makes the named parts where their sources changed since they were last made.
 * @param {string[]} [names]
 * @returns {Promise<string[]>} the parts that were made
 */
export async function build(names = Object.keys(parts)) {
  const made = [];
  for (const name of names) {
    const part = parts[name];
    if (part === undefined) throw new Error(`no such part: ${name}`);
    const now = fingerprint(root, part.inputs);
    if (readStamp()[name] === now) continue;
    await part.make();
    mkdirSync(join(root, "dist"), { recursive: true });
    writeFileSync(stampFile, JSON.stringify({ ...readStamp(), [name]: now }));
    made.push(name);
  }
  return made;
}

/**
 * Builds in a process of its own, so that the bundlers' memory is gone when the server runs.
 * @returns {Promise<boolean>} false when it failed; the reason has been printed
 */
export async function ensureBuilt() {
  const stamp = readStamp();
  const fresh = Object.entries(parts).every(
    ([name, part]) => stamp[name] === fingerprint(root, part.inputs),
  );
  if (fresh) return true;
  console.log("building…");
  const { code, output } = await run(process.execPath, ["scripts/build.mjs"]);
  if (code !== 0) console.error(output);
  return code === 0;
}

/** @returns {Record<string, string>} */
function readStamp() {
  try {
    return /** @type {Record<string, string>} */ (JSON.parse(readFileSync(stampFile, "utf8")));
  } catch {
    return {}; // never built, or a stamp cut short: build again
  }
}
