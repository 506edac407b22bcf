import { z } from "zod";
import type { Engine } from "./engine.ts";

const VolumeList = z.object({
  Volumes: z
    .array(z.object({ Name: z.string(), Labels: z.record(z.string(), z.string()).nullable() }))
    .nullable(),
});

/** A small folder in memory that containers can share. */
export async function createMemoryVolume(
  engine: Engine,
  name: string,
  user: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const [uid, gid] = user.split(":");
  const options = { type: "tmpfs", device: "tmpfs", o: `size=1m,uid=${uid},gid=${gid},mode=0700` };
  const body = { Name: name, Driver: "local", DriverOpts: options, Labels: labels };
  await engine.call("POST", "/volumes/create", { body });
}

/**
 * One that is still used stays, and so does one that an engine which was restarted under it takes for used (500) until
 * it is started again. Not by force: that takes its labels off and leaves it, so that nobody would find it again.
 */
export async function removeVolume(engine: Engine, name: string): Promise<void> {
  await engine.call("DELETE", `/volumes/${encodeURIComponent(name)}`, {
    ok: [204, 404, 409, 500],
  });
}

export async function volumesWith(engine: Engine, label: string) {
  const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
  return VolumeList.parse(await engine.call("GET", `/volumes?filters=${filters}`)).Volumes ?? [];
}
