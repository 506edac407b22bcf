import { readFile } from "node:fs/promises";

/**
 * zod hands out everything it has as one object, `z`, which a bundler cannot take apart; imported as a namespace it can.
 * Its forty languages are never used. Together they are most of what a small program would load at its start.
 * @type {import("esbuild").Plugin}
 */
export const shakeZod = {
  name: "shake-zod",
  setup(build) {
    build.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(
        /^import \{ z \} from "zod";$/m,
        'import * as z from "zod";',
      ),
      loader: "ts",
    }));
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};
