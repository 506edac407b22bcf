import { z } from "zod";

/** Who has a workspace open: enough to tell, after a crash or a reboot, that nobody has. */
export const LockFile = z.object({
  pid: z.int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  host: z.string(),
  pidNamespace: z.string(),
  url: z.string().nullable(),
});
export type LockFile = z.output<typeof LockFile>;
