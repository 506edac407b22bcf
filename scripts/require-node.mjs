// Runs before anything else is parsed, so it keeps to syntax that an old Node understands.
var needed = { major: 20, minor: 19 };
var found = process.versions.node.split(".");
var major = Number(found[0]);
var minor = Number(found[1]);

if (major < needed.major || (major === needed.major && minor < needed.minor)) {
  console.error(
    "Multiverse needs Node " +
      needed.major +
      "." +
      needed.minor +
      " or newer, and this is Node " +
      process.versions.node +
      ".",
  );
  console.error("Install a newer Node and run the same command again.");
  process.exit(1);
}
