import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differencesFromLock, lockCovers, thisPlatform } from "./lock.mjs";
import { manifests, root } from "./paths.mjs";
import { npm } from "./run.mjs";

const stampFile = join(root, "node_modules/.multiverse-install");
const networkFault = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET/;

// `npm ci` refuses a lock that lacks the binaries of other platforms, and npm leaves out the ones its registry does not
// have (docs/decisions/001). `npm install` keeps to the lock as well; what it installed is compared with it afterwards.
// Packages' own install scripts are never run: none of ours needs one, and they are other people's code.
const quietInstall = [
  "install",
  "--no-save",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  // An unreachable registry should be said within half a minute, not after npm's usual two.
  "--fetch-retries=3",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=8000",
];

/**
 * Installs the dependencies when they are missing or the lock has changed since.
 * @returns {Promise<boolean>} false when it failed; the reason has been printed
 */
export async function ensureInstalled() {
  const wanted = installStamp();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return true;
  const lock = readLock("package-lock.json");
  const locked = lockCovers(lock, thisPlatform());
  console.log("installing… (needed once, and again when dependencies change)");
  if (!locked) {
    console.log(
      `package-lock.json has no binaries for ${process.platform} ${process.arch}: installing without it, so versions may be newer.`,
    );
  }
  const result = await npm(locked ? quietInstall : [...quietInstall, "--no-package-lock"]);
  if (result.code !== 0) {
    explainFailure(result.output);
    return false;
  }
  if (locked && !matchesLock(lock)) return false;
  writeFileSync(stampFile, wanted);
  return true;
}

/** What the installed tree depends on; a change in any of it means installing again. */
function installStamp() {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", ...manifests()])
    hash.update(readFileSync(join(root, file)));
  return `${hash.digest("hex")} ${process.platform} ${process.arch}\n`;
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

/** @param {string} output */
function explainFailure(output) {
  console.error(output.trimEnd());
  console.error(
    networkFault.test(output)
      ? "\nThe npm registry cannot be reached, so the dependencies could not be installed.\n" +
          "Check the network (or proxy, or `npm config get registry`) and run the same command again."
      : "\nInstalling the dependencies failed; npm's reason is above.",
  );
}
