// Imports are evaluated in order, so an old Node is told so before it meets syntax that it cannot parse.
import "./require-node.mjs";

void import("./test-all.mjs").then(function (tests) {
  return tests.testAll(process.argv.slice(2));
});
