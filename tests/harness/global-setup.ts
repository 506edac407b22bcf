import { bundlePrograms } from "../../scripts/bundle.mjs";

/** Tests spawn the programs as they ship, so dist/ must hold what the sources say now. */
export default async function setup(): Promise<void> {
  await bundlePrograms();
}
