import { readSources } from "./architecture/read-sources.mjs";
import { violations } from "./architecture/violations.mjs";
import { root } from "./paths.mjs";

const found = violations(readSources(root));
for (const violation of found) console.error(violation);
process.exitCode = found.length === 0 ? 0 : 1;
