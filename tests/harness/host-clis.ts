import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";
import { runCommand } from "./run-command.ts";
import { ci, type Missing } from "./skips.ts";

export interface HostClis {
  /** The folder of their programs, for a PATH. */
  readonly bin: string;
}

/** The coding CLIs on this machine, in the versions that our images pin; never among the product's own dependencies. */
export async function findHostClis(): Promise<HostClis | Missing> {
  const packages = ["codex-cli", "claude-code", "gemini-cli"].map(pinnedPackage);
  const folder = join(root, ".cache/clis", packages.join("+").replaceAll("/", "-"));
  if (!existsSync(folder)) {
    if (!ci)
      return {
        missing: "the coding CLIs are not installed for tests",
        how: "run with CI=true, which installs them from npm into .cache (900 MB)",
      };
    await install(packages, folder);
  }
  return { bin: join(folder, "bin") };
}

async function install(packages: readonly string[], folder: string): Promise<void> {
  console.log("installing… Codex CLI, Claude Code and Gemini CLI (about half a minute)");
  const half = `${folder}.${process.pid}`;
  mkdirSync(half, { recursive: true });
  const args = [
    "install",
    "--global",
    "--no-audit",
    "--no-fund",
    "--engine-strict=false",
    "--prefix",
    half,
    ...packages,
  ];
  const { code, stderr } = await runCommand("npm", args);
  if (code !== 0) throw new Error(`the coding CLIs cannot be installed: ${stderr.slice(-2_000)}`);
  renameSync(half, folder);
}

/** `name@version` as the CLI's Dockerfile installs it. */
function pinnedPackage(kind: string): string {
  const text = readFileSync(join(root, "sandbox", `${kind}.Dockerfile`), "utf8");
  const version = /^ARG \w+_VERSION=(\S+)$/m.exec(text)?.[1];
  const name = /"(@[^"@]+)@\$\{/.exec(text)?.[1];
  if (version === undefined || name === undefined) throw new Error(`${kind} pins no version`);
  return `${name}@${version}`;
}
