import { ensureBaseImage } from "./base-image.ts";
import { findChromium } from "./chromium.ts";
import { findDockerEngine } from "./docker.ts";
import { startDockerEngine } from "./dockerd.ts";
import { isMissing } from "./skips.ts";
import { installSystemPackages } from "./system-packages.ts";

/**
 * Gives a CI machine everything that tests would otherwise be skipped without.
 * @returns how to end what was started
 */
export async function provideSystem(): Promise<() => Promise<void>> {
  await installSystemPackages([
    "strace",
    "fonts-noto-cjk",
    "fonts-noto-color-emoji",
    ...(isMissing(findChromium()) ? ["chromium"] : []),
    ...(isMissing(await findDockerEngine()) ? ["docker.io"] : []),
    "mmdebstrap",
  ]);
  const engine = await startDockerEngine();
  await ensureBaseImage(engine);
  return engine.stop;
}
