/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 * @typedef {{ os: string, cpu: string, glibc: boolean }} Platform
 */

/** @returns {Platform} */
export function thisPlatform() {
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (
    process.report.getReport()
  );
  return {
    os: process.platform,
    cpu: process.arch,
    glibc: report.header.glibcVersionRuntime !== undefined,
  };
}

/**
 * Whether the lock names the native binaries of this platform. Each tool that has some publishes them for the
 * same platforms, so one tool stands for all.
 * @param {Lock} lock
 * @param {Platform} platform
 */
export function lockCovers(lock, platform) {
  return (
    platform.os === "linux" &&
    platform.glibc &&
    `node_modules/@rolldown/binding-linux-${platform.cpu}-gnu` in lock.packages
  );
}

/**
 * The packages that are installed in another version, or with other content, than the lock pins.
 * @param {Lock} lock
 * @param {Lock} installed node_modules/.package-lock.json, npm's own record of what it unpacked
 */
export function differencesFromLock(lock, installed) {
  return Object.entries(installed.packages)
    .filter(([, found]) => found.link !== true)
    .filter(([path, found]) => {
      const pinned = lock.packages[path];
      return pinned?.version !== found.version || pinned?.integrity !== found.integrity;
    })
    .map(
      ([path, found]) =>
        `${path}@${found.version} (lock: ${lock.packages[path]?.version ?? "absent"})`,
    );
}
