import "./require-node.mjs";
import { check } from "./check-parts.mjs";
import { ensureInstalled } from "./install.mjs";

const installed = await ensureInstalled();
const failed = installed ? await check(process.argv.slice(2)) : ["install"];
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
