// Imports are evaluated in order, so an old Node is told so before it meets syntax that it cannot parse.
import "./require-node.mjs";

void import("./start-server.mjs").then(function (start) {
  return start.startServer(process.argv.slice(2));
});
