import { readdir } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { DoctorReport, FolderList } from "@multiverse/protocol/http/responses";
import { Path } from "@multiverse/protocol/text";
import { z } from "zod";
import { json, refused, type Parts } from "./parts.ts";

const MOST_FOLDERS = 50;

export function systemRoutes(app: OpenAPIHono, { doctor, metrics }: Parts): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/doctor",
      summary: "What is installed and logged in here, and what to do about the rest",
      responses: { 200: json(DoctorReport), ...refused },
    }),
    async (c) => c.json(await doctor(), 200),
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/metrics",
      summary: "Numbers in Prometheus' text format",
      responses: {
        200: { content: { "text/plain": { schema: z.string() } }, description: "Numbers." },
        ...refused,
      },
    }),
    (c) => c.text(metrics.render(), 200, { "content-type": "text/plain; version=0.0.4" }),
  );
  app.openapi(
    createRoute({
      method: "get",
      path: "/folders",
      summary: "Folders that a path could go on with",
      request: { query: z.object({ prefix: Path.default("/") }) },
      responses: { 200: json(FolderList), ...refused },
    }),
    async (c) => c.json({ folders: await foldersLike(c.req.valid("query").prefix) }, 200),
  );
}

/** Folders whose path begins with the prefix: names only, hidden ones only if asked for. */
async function foldersLike(prefix: string): Promise<string[]> {
  if (!isAbsolute(prefix) || prefix.includes("\0")) return [];
  const parent = prefix.endsWith("/") ? prefix : dirname(prefix);
  const start = prefix.endsWith("/") ? "" : basename(prefix);
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(start))
    .filter((entry) => start.startsWith(".") || !entry.name.startsWith("."))
    .map((entry) => join(parent, entry.name))
    .sort()
    .slice(0, MOST_FOLDERS);
}
