import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const inChromium = [
  "tests/browser/**/*.test.ts",
  "tests/chromium.test.ts",
  "tests/security/other-site.test.ts",
];

const nodeTests = {
  test: {
    name: "node",
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: ["packages/web/**", ...inChromium],
    globalSetup: "tests/harness/global-setup.ts",
  },
};

// After the others: every container that starts or ends is a change of the network to Chromium, which then drops
// whatever it is fetching (ERR_NETWORK_CHANGED).
const browserTests = {
  test: {
    name: "browser",
    include: inChromium,
    globalSetup: "tests/harness/global-setup.ts",
    sequence: { groupOrder: 1 },
  },
};

// Vitest compiles for the server, where Svelte's runes are inert. Rune modules must react in tests as they
// do in the browser, so both the compiler's output and the svelte package itself are the browser's. Only
// here: under the same conditions `ws` would resolve to its browser stub in the server's tests.
const webTests = {
  plugins: [
    svelte({ configFile: false, dynamicCompileOptions: () => ({ generate: "client" as const }) }),
  ],
  ssr: { resolve: { conditions: ["browser", "module", "node", "development|production"] } },
  test: {
    name: "web",
    include: ["packages/web/src/**/*.test.ts"],
    server: { deps: { inline: [/node_modules\/svelte\//] } },
  },
};

export default defineConfig({
  test: {
    projects: [
      { extends: true, ...nodeTests },
      { extends: true, ...webTests },
      { extends: true, ...browserTests },
    ],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    // A busy machine is no failure: whoever waits for something waits until it is there.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
