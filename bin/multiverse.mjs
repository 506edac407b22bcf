#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/multiverse.mjs", import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  console.error("multiverse is not built yet: run `npm run build` in the repository first.");
  process.exitCode = 1;
}
