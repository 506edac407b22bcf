import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** The stories as a page of their own: every component in its states, for eyes and for the comparison of pictures. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte({ configFile: false })],
  build: { outDir: "../../../dist/stories", emptyOutDir: true, target: "es2023" },
});
