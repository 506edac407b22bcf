import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { root } from "../../scripts/paths.mjs";

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});
const lock = Lock.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));

test("every package is pinned by version and hash", () => {
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  expect(installed.length).toBeGreaterThan(50);
  const loose = installed.filter(
    ([, { version, integrity }]) =>
      !/^\d+\.\d+\.\d+/.test(version ?? "") || integrity?.startsWith("sha512-") !== true,
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test("installing runs no package's own script", () => {
  const install = readFileSync(join(root, "scripts/install.mjs"), "utf8");
  expect(install).toContain('"--ignore-scripts"');
  const settings = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const atInstall = ["preinstall", "install", "postinstall", "prepare"];
  expect(atInstall.filter((name) => name in settings.scripts)).toEqual([]);
});
