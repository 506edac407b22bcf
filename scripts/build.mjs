import "./require-node.mjs";
import { build } from "./build-parts.mjs";

const started = performance.now();
const made = await build();
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(
  made.length === 0 ? "dist/ is up to date" : `built ${made.join(" and ")} in ${seconds} s`,
);
