import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { openBeneath } from "./files/open-beneath.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

const LARGEST = 32 * 1_048_576;

/** The built web app: a file of it, or its index for the app's own addresses; null if there is neither. */
export async function staticFile(root: string, path: string): Promise<Response | null> {
  const relative = path.replace(/^\/+/, "");
  if (relative !== "" && extname(relative) !== "") return fileAnswer(root, relative);
  return fileAnswer(root, "index.html");
}

async function fileAnswer(root: string, relative: string): Promise<Response | null> {
  const opened = await openBeneath(root, relative, LARGEST);
  if (!opened.ok) return null;
  try {
    const type = TYPES[extname(relative)] ?? "application/octet-stream";
    // Names of assets carry a hash of their content; the index names the current ones and is always asked for.
    const cache = relative.startsWith("assets/")
      ? "private, max-age=31536000, immutable"
      : "no-cache";
    const bytes = await readFile(opened.file);
    return new Response(bytes, { headers: { "content-type": type, "cache-control": cache } });
  } finally {
    await opened.file.close();
  }
}
