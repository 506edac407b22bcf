import { randomUUID } from "node:crypto";
import { cpus, platform, release, totalmem } from "node:os";
import { join, resolve } from "node:path";
import type { DoctorReport } from "@multiverse/protocol/http/responses";
import { findServer } from "../client.ts";
import { demoFor } from "../demo.ts";
import { createDoctor } from "../doctor/doctor.ts";
import { readPrivateFile, writePrivateFile } from "../private-file.ts";
import { createSettings } from "../settings.ts";
import { createTools } from "../tools.ts";
import type { CliContext } from "./context.ts";
import { paint, safeText } from "./terminal.ts";

const MARKS = { ok: "✓", warning: "!", missing: "✗" } as const;
const COLOURS = { ok: "green", warning: "yellow", missing: "red" } as const;

/** `multiverse doctor`: works without a server, since it is what one asks when there is none. */
export async function doctor(
  context: CliContext,
  flags: { readonly json?: boolean; readonly bundle?: string | true },
): Promise<number> {
  const { home, environment, terminal } = context;
  const demo = (await demoFor(context, {})).demo.on;
  const settings = createSettings(home);
  const tools = createTools({ environment, settings, demo: () => demo, ask: async () => "" });
  const report = await createDoctor({
    environment,
    home: home.root,
    tools,
    settings,
    demo: () => demo,
  })();
  if (flags.bundle !== undefined) return writeBundle(context, report, flags.bundle);
  if (flags.json) terminal.out(`${JSON.stringify(report)}\n`);
  else printReport(context, report);
  return 0;
}

function printReport({ terminal }: CliContext, { checks, demo }: DoctorReport): void {
  for (const { status, title, detail, hint } of checks) {
    const mark = paint(terminal, COLOURS[status], MARKS[status]);
    terminal.out(`${mark} ${title.padEnd(12)} ${safeText(detail, false)}\n`);
    if (hint) terminal.out(`  ${paint(terminal, "dim", `→ ${hint}`)}\n`);
  }
  if (demo) terminal.out("demo agent: scripted, no AI\n");
}

/** A report for a bug: what is here and how it is set, without content, and with every known secret masked. */
async function writeBundle(
  { home, mask, terminal, cwd, version, environment }: CliContext,
  report: DoctorReport,
  target: string | true,
): Promise<number> {
  const running = await findServer(home);
  const config = async (name: string): Promise<string | null> =>
    readPrivateFile(join(home.config, name)).catch(() => null);
  const bundle = {
    madeAt: new Date().toISOString(),
    version,
    node: process.versions.node,
    system: `${platform()} ${release()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    doctor: report,
    server: running ? { url: running.url, metrics: await running.text("/metrics") } : null,
    config: {
      llm: await config("llm.json"),
      tooling: await config("tooling.json"),
      settings: await config("settings.json"),
    },
    variables: Object.keys(environment.env).sort(),
  };
  const file = resolve(
    cwd,
    target === true ? `multiverse-report-${randomUUID().slice(0, 8)}.json` : target,
  );
  const text = mask.mask(JSON.stringify(bundle, null, 2)).replaceAll(environment.homeFolder, "~");
  await writePrivateFile(file, `${running ? text.replaceAll(running.token, "***") : text}\n`);
  terminal.out(
    `${file}\nNo keys, file contents or chat messages are in it; look through it before you send it.\n`,
  );
  return 0;
}
