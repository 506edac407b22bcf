import "./require-node.mjs";
import { build } from "./build-parts.mjs";
import { ensureInstalled } from "./install.mjs";

const started = performance.now();
try {
  if (!(await ensureInstalled())) process.exit(1);
  const made = await build();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    made.length === 0 ? "dist/ is up to date" : `built ${made.join(" and ")} in ${seconds} s`,
  );
} catch (error) {
  console.error(`The build failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
