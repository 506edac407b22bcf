import { runCommand } from "./run-command.ts";

/** Installs Debian packages, those that are missing, all at once. For CI machines: it needs root. */
export async function installSystemPackages(names: readonly string[]): Promise<void> {
  const installed = await Promise.all(names.map(isInstalled));
  const missing = names.filter((_, index) => installed[index] !== true);
  if (missing.length === 0) return;
  console.log(`installing… ${missing.join(" ")}`);
  await aptGet(["update", "-qq"]);
  await aptGet(["install", "-y", "-qq", "--no-install-recommends", ...missing]);
}

async function isInstalled(name: string): Promise<boolean> {
  const { code, stdout } = await runCommand("dpkg-query", [
    "-W",
    "-f",
    "${db:Status-Status}",
    name,
  ]);
  return code === 0 && stdout === "installed";
}

async function aptGet(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runCommand(
    "apt-get",
    ["-o", "DPkg::Lock::Timeout=300", ...args],
    {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    },
  );
  if (code === 0) return;
  const asRoot = process.getuid?.() === 0 ? "" : " (it needs root)";
  throw new Error(`apt-get ${args.join(" ")} failed${asRoot}:\n${stdout}${stderr}`);
}
