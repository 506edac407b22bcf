import { builtinModules } from "node:module";

/**
 * The direction of dependency: which of our packages each package may import. Whoever is not listed on the right-hand
 * side of anyone (server, web) is imported by nobody.
 * @type {Record<string, string[]>}
 */
export const arrows = {
  protocol: [],
  agents: ["protocol"],
  orchestrator: ["protocol"],
  web: ["protocol"],
  runner: ["protocol", "agents"],
  server: ["protocol", "agents", "runner", "orchestrator"],
};

/** Code that only tests use. It may do what tests may, and nothing that ships may import it. */
export const testSupport = /\.test\.ts$|\/(testing|simulation)\//;

/**
 * @typedef {object} Owner a side effect and the files that may cause it
 * @property {string} effect what it does, as the violation says it
 * @property {string[]} [modules] imports that give the power (a package's subpaths included)
 * @property {string[]} [globals] dotted names whose use gives the power
 * @property {boolean} [evenTypes] importing only types of these modules counts as well
 * @property {string[]} in path prefixes under packages/
 */

/** @type {Owner[]} */
export const owners = [
  {
    effect: "starts processes",
    modules: ["node:child_process", "node:cluster"],
    in: ["agents/"],
  },
  {
    effect: "touches the file system",
    modules: ["node:fs"],
    in: ["agents/", "runner/", "orchestrator/src/store/", "orchestrator/src/queue/", "server/"],
  },
  {
    effect: "opens or accepts connections",
    modules: [
      "node:http",
      "node:https",
      "node:http2",
      "node:net",
      "node:tls",
      "node:dgram",
      "ws",
      "hono",
      "@hono/node-server",
      "@hono/zod-openapi",
    ],
    in: ["server/", "agents/"],
  },
  {
    effect: "makes requests",
    globals: ["fetch"],
    in: ["agents/", "web/", "server/"],
  },
  {
    effect: "reads the environment",
    globals: ["process.env"],
    in: ["server/src/main.ts", "runner/src/main.ts"],
  },
  {
    effect: "needs Node",
    modules: builtinModules.map((name) => `node:${name}`),
    globals: ["Buffer"],
    evenTypes: true,
    in: ["agents/", "runner/", "orchestrator/", "server/"],
  },
];
