import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differencesFromLock, lockCovers, thisPlatform } from "./lock.mjs";
import { manifests, root } from "./paths.mjs";
import { npm } from "./run.mjs";

const stampFile = join(root, "node_modules/.multiverse-install");

// npm's own retries wait up to a minute each, for every package anew.
const patience = [
  "--fetch-retries=2",
  "--fetch-retry-mintimeout=500",
  "--fetch-retry-maxtimeout=3000",
];

// `npm ci` refuses a lock that lacks the binaries of other platforms (docs/decisions/001). `npm install` keeps to the
// lock as well, and what it installed is compared with the lock afterwards. Packages' own install scripts are never
// run: none of ours needs one, and they are other people's code.
const install = [
  "install",
  "--no-save",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  ...patience,
];

/**
 * Installs the dependencies when they are missing or the lock has changed since.
 * @returns {Promise<boolean>} false when it failed; the reason has been printed
 */
export async function ensureInstalled() {
  const wanted = installStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return true;
  console.log("installing… (needed once, and again when dependencies change)");
  const lock = readLock("package-lock.json");
  const locked = lockCovers(lock, thisPlatform());
  if (!locked) {
    console.log(
      `package-lock.json has no binaries for ${process.platform} ${process.arch}: installing without it, so versions may be newer.`,
    );
  }
  const installed = await installPackages(locked ? [] : ["--no-package-lock"]);
  if (!installed || (locked && !matchesLock(lock))) return false;
  writeFileSync(stampFile, wanted);
  return true;
}

/** What the installed tree depends on; a change in any of it means installing again. */
function installStamp() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", ...manifests()]) {
    hash.update(readFileSync(join(root, file)));
  }
  return `${hash.digest("hex")} ${process.platform} ${process.arch}\n`;
}

/** @param {string[]} options */
async function installPackages(options) {
  const unreachable = await registryFault();
  // npm's cache may hold everything. Left to itself, npm would try in vain for each package that it lacks.
  const offline = unreachable === undefined ? [] : ["--offline"];
  const { code, output } = await npm([...install, ...options, ...offline]);
  if (code === 0) return true;
  if (unreachable === undefined) {
    console.error(
      `${output.trimEnd()}\n\nInstalling the dependencies failed; npm's reason is above.`,
    );
  } else {
    console.error(
      `${unreachable}\nThe npm registry cannot be reached, so the dependencies could not be installed.\n` +
        "Check the network (or the proxy, or `npm config get registry`) and run the same command again.",
    );
  }
  return false;
}

/**
 * Asks the registry for a sign of life, with all of npm's settings. Any HTTP status is one: not every registry knows ping.
 * @returns {Promise<string | undefined>} why it does not answer
 */
async function registryFault() {
  const { code, output } = await npm(["ping", "--loglevel=error", ...patience]);
  if (code === 0 || /code E\d{3}\b/.test(output)) return undefined;
  return output.split("\n").find((line) => line.includes("failed")) ?? output.trimEnd();
}

/** @param {string} path */
function readLock(path) {
  return /** @type {import("./lock.mjs").Lock} */ (
    JSON.parse(readFileSync(join(root, path), "utf8"))
  );
}

/** @param {import("./lock.mjs").Lock} lock */
function matchesLock(lock) {
  const differences = differencesFromLock(lock, readLock("node_modules/.package-lock.json"));
  if (differences.length === 0) return true;
  console.error(
    `The installed packages are not the ones package-lock.json pins:\n  ${differences.join("\n  ")}\n` +
      "Remove node_modules and run the same command again.",
  );
  return false;
}
