import { build } from "../../scripts/build-parts.mjs";
import { provideSystem } from "./provide-system.ts";
import { ci } from "./skips.ts";

/**
 * Tests spawn the programs as they ship, so dist/ must hold what the sources say now. Sources that do not bundle fail
 * `npm test` before it gets here; a single unit test run by hand should not have to wait for them.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  await build(["programs"]).catch((error: unknown) => {
    console.error(`dist/ is stale, because bundling failed: ${String(error)}`);
  });
  return ci ? provideSystem() : undefined;
}
