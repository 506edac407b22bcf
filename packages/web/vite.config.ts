import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte({ configFile: false })],
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2023",
    sourcemap: true,
    // Assets as files: the page's policy allows no data in style sheets or scripts.
    assetsInlineLimit: 0,
    // One small style sheet: a part that is fetched again after a failure must not come without its looks.
    cssCodeSplit: false,
    rolldownOptions: {
      // How long plugins took is of no use to whoever starts the product.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          // What keeps zod from making code out of text has to run before the first schema is made.
          groups: [{ name: "zod", test: /node_modules[\\/]zod[\\/]|zod-without-eval/ }],
        },
      },
    },
  },
});
