import "./require-node.mjs";
import { build } from "./build-parts.mjs";
import { bundlePrograms } from "./bundle.mjs";
import { writeLicences } from "./licences.mjs";

// What ships is what the sources say now, and nothing that an earlier build left behind.
await build();
await bundlePrograms({ keepOldChunks: false });
writeLicences();
