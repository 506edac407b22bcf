import { accessSync, constants } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import type { Missing } from "./skips.ts";

export interface Chromium {
  readonly path: string;
  /** Starts a browser of its own, headless and with an empty profile. Close it. */
  readonly launch: () => Promise<Browser>;
}

const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

// Without these the browser looks for its maker's servers at every start, and a closed network refuses it each time.
const quietFlags = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
];

/** Finds a Chromium: MULTIVERSE_CHROMIUM, or where systems usually have it. */
export function findChromium(): Chromium | Missing {
  const named = process.env.MULTIVERSE_CHROMIUM;
  const path = (named === undefined ? usualPaths : [named]).find(isExecutable);
  if (path === undefined) {
    return {
      missing:
        named === undefined
          ? "no Chromium was found"
          : `MULTIVERSE_CHROMIUM is not executable: ${named}`,
      how: "install Chromium, or set MULTIVERSE_CHROMIUM to its path, or run with CI=true as root on Debian",
    };
  }
  return { path, launch: () => launch(path) };
}

function launch(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox refuses to work for root.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, headless: true, args: [...quietFlags, ...sandbox] });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
